import TaskEvents

/// The threads that Swift's tasks share, by the slices that run on them, and when the same slices kept all of them.
///
/// A trace does not say how many threads the pool has. It has as many as were ever seen to run at a time; before two were, nothing shows that
/// none was free.
struct SwiftPool {
    /// A time in which no slice of the pool ended, and none more could have begun.
    struct Held {
        var from: UInt64
        var to: UInt64
        /// The slices' beginnings.
        var keepers: [Evidence]
        var isReported = false

        /// For how long a job had to wait for it that was there from `time` on; nil if that is no longer than the threshold, or has been told.
        func time(from time: UInt64, threshold: UInt64) -> UInt64? {
            let from = max(from, time)
            guard !isReported, to > from, to - from > threshold else { return nil }
            return to - from
        }
    }

    private var running: [ThreadJobs.Job] = []
    private var most = 0
    /// Since when all threads have been kept; nil while one is free.
    private(set) var fullSince: UInt64?
    /// The latest such time that is over.
    var held: Held?

    mutating func begin(_ job: ThreadJobs.Job) {
        // What ran there before has ended unseen.
        running.removeAll { $0.lane == job.lane }
        running.append(job)
        most = max(most, running.count)
        fullSince = running.count == most && most > 1 ? job.since : nil
    }

    mutating func end(_ job: ThreadJobs.Job, at time: UInt64) {
        guard let place = running.firstIndex(where: { $0.lane == job.lane && $0.task == job.task }) else { return }
        if let fullSince { held = Held(from: fullSince, to: time, keepers: keepers) }
        fullSince = nil
        running.remove(at: place)
    }

    /// The beginnings of the slices that run.
    var keepers: [Evidence] {
        running.prefix(Finding.evidenceLimit / 2).map { Evidence(.started, of: $0.task, on: $0.executor, at: $0.since) }
    }
}
