import TaskEvents

/// The threads of Swift's shared pool, seen through the slices that run on them, and the times when the same slices kept all threads busy.
///
/// A trace does not record the pool's number of threads. The largest number of slices seen running at once stands for it. Before two ran at
/// once, nothing shows that all threads were busy.
struct SwiftPool {
    /// A time in which no slice of the pool ended and no further slice could begin.
    struct Held {
        var from: UInt64
        var to: UInt64
        /// The start events of the slices that ran.
        var keepers: [Evidence]
        var isReported = false

        /// The nanoseconds that a job queued since `time` waited for this stretch. Nil if they do not exceed the threshold, or if they were
        /// reported.
        func time(from time: UInt64, threshold: UInt64) -> UInt64? {
            let from = max(from, time)
            guard !isReported, to > from, to - from > threshold else { return nil }
            return to - from
        }
    }

    /// Nanoseconds. A stretch that is no longer than this is forgotten.
    private let threshold: UInt64
    private var running: [ThreadJobs.Job] = []
    private var most = 0
    /// The time since which all threads are busy. Nil while a thread is free.
    private(set) var fullSince: UInt64?
    /// The latest such stretch that is over. Nil if it did not exceed the threshold.
    var held: Held?

    init(threshold: UInt64) {
        self.threshold = threshold
    }

    mutating func begin(_ job: ThreadJobs.Job) {
        // The earlier slice on this thread ended without a record.
        running.removeAll { $0.lane == job.lane }
        running.append(job)
        most = max(most, running.count)
        fullSince = running.count == most && most > 1 ? job.since : nil
    }

    mutating func end(_ job: ThreadJobs.Job, at time: UInt64) {
        guard let index = running.firstIndex(where: { $0.lane == job.lane && $0.task == job.task }) else { return }
        if let fullSince {
            held = time > fullSince && time - fullSince > threshold ? Held(from: fullSince, to: time, keepers: keepers) : nil
        }
        fullSince = nil
        running.remove(at: index)
    }

    /// The start events of the slices that run.
    var keepers: [Evidence] {
        running.prefix(Finding.evidenceLimit / 2).map { Evidence(.started, of: $0.task, on: $0.executor, at: $0.since) }
    }
}
