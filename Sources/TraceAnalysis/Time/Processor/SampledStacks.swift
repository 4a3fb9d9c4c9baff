import TaskEvents
import TraceStore
import TraceTransport

/// The samples of a profile, each with the task whose body ran then, by the thread and the time of both.
package struct SampledStacks {
    /// Equal samples: of one task, with one stack.
    package struct Sampled: Sendable {
        /// `.none` for a sample outside of all tasks.
        package let task: TaskID
        /// The executor that the body ran on; `.none` for a sample outside of all tasks.
        package let executor: ExecutorID
        /// The innermost call first.
        package let frames: [CodeAddress]
        package let count: Int
    }

    /// One sample.
    package struct Moment: Sendable {
        package let time: UInt64
        package let thread: UInt32
        /// The index in ``sampled``.
        package let sampled: Int
    }

    private struct Slice {
        var start: UInt64
        var end: UInt64
        var task: TaskID
        var executor: ExecutorID
    }

    private struct Key: Hashable {
        var task: TaskID
        var executor: ExecutorID
        var stack: UInt32
    }

    package let hertz: UInt32
    package private(set) var sampled: [Sampled] = []

    /// All samples, by thread and then by time.
    package private(set) var moments: [Moment] = []

    /// - Parameters:
    ///   - range: only samples of this time count.
    ///   - only: only samples of this thread count. Nil for those of all.
    package init(
        _ profile: ThreadProfile, _ steps: TaskSteps, _ store: TraceStore, in range: ClosedRange<UInt64>? = nil, of only: UInt32? = nil
    ) {
        hertz = profile.hertz
        let slices = Self.slices(steps, store)
        let times = ThreadTimes(profile)
        var counts: [Key: Int] = [:]
        var keys: [(time: UInt64, thread: UInt32, key: Key)] = []
        for thread in times.threads where thread == only ?? thread {
            let ofThread = slices[thread] ?? []
            for sample in times.samples(of: thread) where range?.contains(sample.time) ?? true {
                let index = ofThread.partitioningIndex { $0.start > sample.time }
                // Bodies that run inside others began later, so the last one that still ran is the innermost.
                let slice = ofThread[..<index].suffix(Self.depth).last { sample.time < $0.end }
                let key = Key(task: slice?.task ?? .none, executor: slice?.executor ?? .none, stack: sample.stack)
                counts[key, default: 0] += 1
                keys.append((sample.time, thread, key))
            }
        }
        let ordered = counts.sorted {
            ($1.value, $0.key.task, $0.key.executor, $0.key.stack) < ($0.value, $1.key.task, $1.key.executor, $1.key.stack)
        }
        sampled = ordered.map { key, count in
            Sampled(task: key.task, executor: key.executor, frames: profile.stacks[Int(key.stack)], count: count)
        }
        let numbers = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.key, $0) })
        moments = keys.map { Moment(time: $0.time, thread: $0.thread, sampled: numbers[$0.key] ?? 0) }
    }

    /// The number of bodies that are searched for one around a sample.
    private static let depth = 64

    /// The times in which each thread ran bodies of tasks, in the order of their beginnings.
    private static func slices(_ steps: TaskSteps, _ store: TraceStore) -> [UInt32: [Slice]] {
        var slices: [UInt32: [Slice]] = [:]
        for row in store.rows {
            let task = store[row]
            for stretch in TaskCourse(of: task, steps, in: store).stretches where stretch.state == .running || stretch.state == .blocked {
                guard let thread = steps.thread(ofLane: stretch.lane, at: stretch.start) else { continue }
                slices[thread, default: []].append(Slice(start: stretch.start, end: stretch.end, task: task.id, executor: stretch.executor))
            }
        }
        for thread in slices.keys { slices[thread]?.sort { ($0.start, $1.end) < ($1.start, $0.end) } }
        return slices
    }

    /// Only the samples that `matches` says yes to, without their moments.
    package func filtered(_ matches: (Sampled) -> Bool) -> SampledStacks {
        var some = self
        some.sampled = sampled.filter(matches)
        some.moments = []
        return some
    }

    package var count: Int { sampled.reduce(0) { $0 + $1.count } }

    /// Whether a function starts jobs, so that what called it is no part of a task. Where the compiler has copied the first of them into
    /// their callers, a stack has only one of these.
    package static func startsJobs(_ function: String) -> Bool {
        let inner = ["runJobInEstablishedExecutorContext", "ProcessOutOfLineJob::process", "defaultActorDrain"]
        return function.hasPrefix("swift_job_run") || inner.contains { function.contains($0) }
    }

    /// The task and those that it continues, or that made it, outermost first.
    package static func ancestors(of task: TaskID, in store: TraceStore) -> [TaskID] {
        var found: [TaskID] = []
        var next: TaskID? = task == .none ? nil : task
        while let id = next, found.count < depth, !found.contains(id) {
            found.append(id)
            next = store.task(id)?.continued
        }
        return found.reversed()
    }
}
