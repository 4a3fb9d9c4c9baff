import TaskEvents
import TraceStore

/// Compares the creation order of Swift tasks with the order of their arrival at an actor. The tasks come from one slice, or from code
/// outside every task, that created them in a row at one place in the program.
///
/// A program that creates a task for each call gets no guaranteed order: the tasks can arrive in another order. A few swapped tasks lost a
/// race by nanoseconds. A task that many others have overtaken is the hazard.
final class TaskArrivals {
    /// Tasks created in one go at one place.
    private struct Burst: Hashable {
        var lane: Int
        /// The start of the job that created them. For code outside every job, the time of the first creation.
        var since: UInt64
        var site: CallSite
    }

    private struct Made {
        let burst: Burst
        let state: State
        var number: Int
        var evidence: Evidence
    }

    private struct Arrival {
        var number: Int
        var made: Evidence
        var hop: Evidence
    }

    /// The first arrivals of a burst's tasks at one executor.
    private struct Arrivals {
        var all: [Arrival] = []
        /// By task's number, whether it has arrived.
        private var known: [Bool] = []

        mutating func append(_ arrival: Arrival) {
            all.append(arrival)
            know(arrival.number)
        }

        mutating func know(_ number: Int) {
            while known.count <= number { known.append(false) }
            known[number] = true
        }

        func contains(_ number: Int) -> Bool { number < known.count && known[number] }
    }

    /// The state of a burst. It is kept until the last of the burst's tasks has ended.
    private final class State {
        var made = 0
        var open = 0
        var arrivals: [ExecutorID: Arrivals] = [:]
        var isReported = false
    }

    /// The number of tasks per burst that are examined.
    private static let limit = 1024
    /// Nanoseconds without a creation after which code outside every job begins a new burst.
    private static let pause: UInt64 = 10_000_000

    @exclusivity(unchecked) private var made = TaskMap<Made>()
    /// The executor of each task's latest arrival. Most tasks return to one actor, so most hops need nothing else.
    @exclusivity(unchecked) private var latest = TaskMap<ExecutorID>()
    private var bursts: [Burst: State] = [:]
    /// By thread without a job, the creation times of the first and the latest task of its current burst.
    private var outside = NumberedValues<(first: UInt64, last: UInt64)>()

    var isEmpty: Bool { made.isEmpty }

    func create(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard event.label != .none, let since = beginning(of: event, lane: lane, scene) else { return }
        let burst = Burst(lane: lane, since: since, site: scene.site(of: event.label))
        let state = state(of: burst)
        guard state.made < Self.limit else { return }
        let evidence = Evidence(.created, of: event.task, label: event.label, at: event.time)
        made[event.task] = Made(burst: burst, state: state, number: state.made, evidence: evidence)
        state.made += 1
        state.open += 1
    }

    private func state(of burst: Burst) -> State {
        if let state = bursts[burst] { return state }
        let state = State()
        bursts[burst] = state
        return state
    }

    /// The start of the job or burst that creates a task. Nil if unknown.
    private func beginning(of event: TaskEvent, lane: Int, _ scene: WarningScene) -> UInt64? {
        let isOfSwift = scene.store.task(event.otherTask)?.kind.isOfSwift ?? false
        if let job = scene.jobs.job(on: lane) { return isOfSwift && job.task != event.otherTask ? nil : job.since }
        // An inline body has no job, nor does the part of an asynchronous `main` before its first await.
        guard !isOfSwift else { return nil }
        var go = outside[lane] ?? (event.time, event.time)
        if event.time > go.last + Self.pause { go.first = event.time }
        go.last = event.time
        outside[lane] = go
        return go.first
    }

    /// Notes that a task begins a slice on an executor. A later hop there is a return from an await, and no arrival.
    func begin(_ event: TaskEvent) {
        guard let task = made[event.task] else { return }
        task.state.arrivals[event.executor, default: Arrivals()].know(task.number)
    }

    /// Notes a task's arrival at an actor. If more than `threshold` later tasks arrived before it, returns the evidence and their number,
    /// once per burst.
    func arrive(_ event: TaskEvent, threshold: Int) -> (evidence: [Evidence], overtakers: Int)? {
        guard latest[event.task] != event.executor, let task = made[event.task] else { return nil }
        latest[event.task] = event.executor
        let state = task.state
        // Only a task's first visit counts as its arrival.
        guard !state.isReported, state.arrivals[event.executor]?.contains(task.number) != true else { return nil }
        let overtakers = state.arrivals[event.executor]?.all.filter { $0.number > task.number } ?? []
        state.isReported = overtakers.count > threshold
        state.arrivals[event.executor, default: Arrivals()].append(
            Arrival(number: task.number, made: task.evidence, hop: Evidence(event)))
        guard state.isReported else { return nil }
        let first = overtakers.prefix(Finding.evidenceLimit / 2 - 1)
        return ([task.evidence] + first.map(\.made) + first.map(\.hop) + [Evidence(event)], overtakers.count)
    }

    func forgetAll() {
        made = TaskMap()
        latest = TaskMap()
        bursts = [:]
        outside = NumberedValues()
    }

    /// Notes a task's end. The state of a burst is dropped with its last task.
    func end(_ id: TaskID) {
        guard let task = made.remove(id) else { return }
        _ = latest.remove(id)
        task.state.open -= 1
        if task.state.open == 0 { bursts[task.burst] = nil }
    }
}
