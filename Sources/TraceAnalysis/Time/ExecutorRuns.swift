import TaskEvents

/// What ran on each executor, and when: bodies of tasks, and closures that belong to no task.
struct ExecutorRuns {
    struct Run: BitwiseCopyable {
        var start: UInt64
        /// The largest number while the run has not ended.
        var end: UInt64
        /// 0 for a closure of no task.
        var task: UInt64
        /// The name and site of a closure.
        var label: UInt32
        var lane: UInt16
    }

    struct Index {
        let executor: ExecutorID
        fileprivate let number: Int
    }

    /// The runs of each executor, by its number, in the order in which they began.
    private var runs: [ContiguousArray<Run>] = []

    mutating func begin(task: TaskID, label: EntryID, on executor: ExecutorID, lane: UInt16, at time: UInt64) -> Index {
        let number = Int(executor.rawValue)
        while runs.count <= number { runs.append([]) }
        runs[number].append(Run(start: time, end: .max, task: task.rawValue, label: task == .none ? label.rawValue : 0, lane: lane))
        return Index(executor: executor, number: runs[number].count - 1)
    }

    /// A time before the run's start, which records out of order can give, ends it at its start.
    mutating func end(_ index: Index, at time: UInt64) {
        let executor = Int(index.executor.rawValue)
        runs[executor][index.number].end = max(runs[executor][index.number].start, time)
    }

    /// The run that took the longest time, until `now` if it has not ended. Nil if there was none.
    func longest(on executor: ExecutorID, until now: UInt64) -> Run? {
        guard runs.indices.contains(Int(executor.rawValue)) else { return nil }
        var longest: Run?
        for run in runs[Int(executor.rawValue)] where run.start < now {
            var run = run
            run.end = min(run.end, now)
            if run.end - run.start > longest.map({ $0.end - $0.start }) ?? 0 { longest = run }
        }
        return longest
    }

    func search(on executor: ExecutorID) -> RunSearch {
        RunSearch(runs.indices.contains(Int(executor.rawValue)) ? runs[Int(executor.rawValue)] : [])
    }
}

/// Finds the runs that one executor had at some time.
struct RunSearch {
    private let runs: ContiguousArray<ExecutorRuns.Run>
    /// For each run, the latest end of it and of all runs before it.
    private let latestEnds: ContiguousArray<UInt64>

    /// The number of runs that are searched for one that began before a wait, and that still ran then.
    private static let reach = 256

    fileprivate init(_ runs: ContiguousArray<ExecutorRuns.Run>) {
        self.runs = runs
        var latest: UInt64 = 0
        var ends: ContiguousArray<UInt64> = []
        ends.reserveCapacity(runs.count)
        for run in runs {
            latest = max(latest, run.end)
            ends.append(latest)
        }
        latestEnds = ends
    }

    /// Calls `body` with the runs of some time between `start` and `end`, the last one first, and with the time of each within.
    func forEach(from start: UInt64, until end: UInt64, _ body: (ExecutorRuns.Run, UInt64) -> Void) {
        var index = runs.partitioningIndex { $0.start >= end }
        var early = 0
        while index > 0, early < Self.reach, latestEnds[index - 1] > start {
            index -= 1
            let run = runs[index]
            if run.start <= start { early += 1 }
            let (from, until) = (max(run.start, start), min(run.end, end))
            if until > from { body(run, until - from) }
        }
    }
}
