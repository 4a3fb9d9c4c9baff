import TaskEvents
import TraceStore
import TraceTransport

/// Explains where the time of tasks went. `steps` must have the events of the whole lives of the tasks and of their peers.
///
/// The store must not change meanwhile.
package final class TimeAnalysis {
    /// The largest number of peers that a task is compared with.
    private static let peerLimit = 200

    let store: TraceStore
    private let steps: TaskSteps
    private let courses: TaskCourses
    private lazy var places = TaskSites(store)
    private lazy var sight = TraceSight(store)
    /// The runs of the executors on which tasks were queued.
    private var runs: [ExecutorID: RunSearch] = [:]

    package init(_ store: TraceStore, _ steps: TaskSteps) {
        self.store = store
        self.steps = steps
        courses = TaskCourses(store, steps)
    }

    package func explanation(of task: TaskView) -> TimeExplanation {
        let blindness = blindness(to: task)
        let total = task.created.map { max($0, task.ended ?? store.now) - $0 }
        guard blindness == nil else {
            return TimeExplanation(task: task.id, total: total, segments: nil, blindness: blindness, peerCount: 0)
        }
        let sums = sums(of: task)
        let peers = places.peers(of: task, limit: Self.peerLimit) { self.blindness(to: $0) == nil }
        let peerTimes = peers.map { self.sums(of: store[$0]).mapValues(\.nanoseconds) }
        let segments = sums.map { key, sum in
            let times = peerTimes.map { $0[key] ?? 0 }.sorted()
            return TimeExplanation.Segment(
                kind: key.kind, nanoseconds: sum.nanoseconds, task: sum.longestTask, executor: key.executor, calls: key.calls,
                wait: key.wait, behind: holder(of: key.executor, during: sum.queued),
                peersMedian: times.isEmpty ? nil : times[(times.count - 1) / 2])
        }
        let ordered = segments.sorted {
            ($1.nanoseconds, $0.task, $0.kind.rawValue, $0.executor.rawValue, $0.calls.rawValue)
                < ($0.nanoseconds, $1.task, $1.kind.rawValue, $1.executor.rawValue, $1.calls.rawValue)
        }
        return TimeExplanation(task: task.id, total: total, segments: ordered, blindness: nil, peerCount: peers.count)
    }

    /// Nil if the trace has all events of the task's life.
    private func blindness(to task: TaskView) -> Blindness? {
        guard task.created != nil, !task.isSynthesised else { return .seenLate(task.id) }
        if task.isTouchedByLoss { return .lost(records: store.lostCount) }
        let missing = store.isSampled ? [.slices] : sight.missing([.queues, .slices], for: task.kind)
        return missing.isEmpty ? nil : .routes(missing)
    }

    // MARK: Sums

    private struct Key: Hashable {
        var kind: CriticalPath.Segment.Kind
        /// The place that made the segment's task.
        var place: Int
        var executor: ExecutorID
        var calls: EntryID
        var wait: WaitsFor.Kind?
    }

    private struct Sum {
        var nanoseconds: UInt64 = 0
        /// The segments of a queue.
        var queued: [CriticalPath.Segment] = []
        private var byTask: [TaskID: UInt64] = [:]
        /// The task of the last segments, and their time. Most segments are of the same task as the one before.
        private var latest = (task: TaskID.none, nanoseconds: 0 as UInt64)

        /// The task with the largest part of the sum.
        var longestTask: TaskID {
            var times = byTask
            times[latest.task, default: 0] = times[latest.task, default: 0].plus(latest.nanoseconds)
            return times.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? .none
        }

        mutating func add(_ segment: CriticalPath.Segment) {
            nanoseconds = nanoseconds.plus(segment.nanoseconds)
            if segment.task != latest.task {
                if latest.task != .none { byTask[latest.task] = byTask[latest.task, default: 0].plus(latest.nanoseconds) }
                latest = (segment.task, 0)
            }
            latest.nanoseconds = latest.nanoseconds.plus(segment.nanoseconds)
            if segment.kind == .queued { queued.append(segment) }
        }
    }

    private func sums(of task: TaskView) -> [Key: Sum] {
        var sums: [Key: Sum] = [:]
        var latest = (task: TaskID.none, place: 0)
        CriticalPath.forEachSegment(of: task, courses) { segment in
            if segment.task != latest.task {
                latest = (segment.task, store.task(segment.task).map { places.number(of: $0) } ?? 0)
            }
            let key = Key(
                kind: segment.kind, place: latest.place, executor: segment.executor, calls: segment.calls, wait: segment.wait)
            sums[key, default: Sum()].add(segment)
        }
        return sums
    }

    private func runs(on executor: ExecutorID) -> RunSearch {
        if let known = runs[executor] { return known }
        let search = steps.runs.search(on: executor)
        runs[executor] = search
        return search
    }

    /// The job, of those of one place together, that held the executor for the longest time while a task was queued.
    private func holder(of executor: ExecutorID, during segments: [CriticalPath.Segment]) -> TimeExplanation.Holder? {
        guard !segments.isEmpty else { return nil }
        let runs = runs(on: executor)
        struct Time {
            var sum: UInt64 = 0
            var longest: UInt64 = 0
            var holder: TimeExplanation.Holder
        }
        enum Maker: Hashable {
            case place(Int)
            case closure(UInt32)
        }
        var times: [Maker: Time] = [:]
        for segment in segments {
            runs.forEach(from: segment.start, until: segment.end) { run, nanoseconds in
                guard run.task != segment.task.rawValue else { return }
                let holder = TimeExplanation.Holder(task: TaskID(rawValue: run.task), closure: EntryID(rawValue: run.label))
                let maker: Maker = run.task == 0 ? .closure(run.label) : .place(store.task(holder.task).map { places.number(of: $0) } ?? 0)
                var time = times[maker] ?? Time(holder: holder)
                time.sum = time.sum.plus(nanoseconds)
                if nanoseconds > time.longest { (time.longest, time.holder) = (nanoseconds, holder) }
                times[maker] = time
            }
        }
        return times.values.max { ($0.sum, $1.holder.task) < ($1.sum, $0.holder.task) }?.holder
    }
}
