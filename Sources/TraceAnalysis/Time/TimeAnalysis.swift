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
        var sums = sums(of: task)
        for (key, sum) in sums where key.kind == .queued { sums[key]?.behind = holder(during: sum.queued) }
        let peers = places.peers(of: task, limit: Self.peerLimit) { self.blindness(to: $0) == nil }
        let peerSums = peers.map { self.sums(of: store[$0]) }
        let segments = sums.map { key, sum in
            let times = peerSums.map { $0[key]?.nanoseconds ?? 0 }.sorted()
            return TimeExplanation.Segment(
                kind: key.kind, nanoseconds: sum.nanoseconds, task: sum.longestTask, executor: key.executor, calls: key.calls,
                wait: key.wait, behind: sum.behind, peersMedian: times.isEmpty ? nil : times[(times.count - 1) / 2])
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
        var longestTask = TaskID.none
        var queued: [CriticalPath.Segment] = []
        var behind: TimeExplanation.Holder?
        private var byTask: [TaskID: UInt64] = [:]

        mutating func add(_ segment: CriticalPath.Segment) {
            nanoseconds = nanoseconds.plus(segment.nanoseconds)
            let time = byTask[segment.task, default: 0].plus(segment.nanoseconds)
            byTask[segment.task] = time
            if time > byTask[longestTask] ?? 0 { longestTask = segment.task }
            if segment.kind == .queued { queued.append(segment) }
        }
    }

    private func sums(of task: TaskView) -> [Key: Sum] {
        var sums: [Key: Sum] = [:]
        for segment in CriticalPath(of: task, courses).segments {
            let place = store.task(segment.task).map { places.number(of: $0) } ?? 0
            let key = Key(kind: segment.kind, place: place, executor: segment.executor, calls: segment.calls, wait: segment.wait)
            sums[key, default: Sum()].add(segment)
        }
        return sums
    }

    /// The job, of those of one place together, that held the executor for the longest time while a task was queued.
    private func holder(during segments: [CriticalPath.Segment]) -> TimeExplanation.Holder? {
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
            steps.runs.forEach(on: segment.executor, from: segment.start, until: segment.end) { run, nanoseconds in
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
