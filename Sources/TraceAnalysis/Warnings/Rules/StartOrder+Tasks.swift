import TaskEvents
import TraceStore

/// Swift tasks that one slice, or code outside every task, made one after the other at one place in the program, and the order in which they
/// reach an actor.
///
/// A program that makes a task for each call gets no order from that: the tasks may arrive in another. A few that change places are a race lost
/// by nanoseconds; a task that many have overtaken is the hazard.
final class TaskArrivals {
    /// Tasks made in one go at one place.
    private struct Burst: Hashable {
        var lane: Int
        /// When the job began that made them; of code in no job, when it made the first.
        var since: UInt64
        var site: CallSite
    }

    private struct Made {
        var burst: Burst
        var number: Int
        var evidence: Evidence
    }

    private struct Arrival {
        var number: Int
        var made: Evidence
        var hop: Evidence
    }

    /// What is known of a burst, until the last of its tasks has ended.
    private struct State {
        var made = 0
        var open = 0
        var arrivals: [ExecutorID: [Arrival]] = [:]
        var isReported = false
    }

    /// Tasks of one burst that are looked at.
    private static let limit = 1024
    /// Nanoseconds after which what code in no job makes is no longer made in the same go.
    private static let pause: UInt64 = 10_000_000

    private var made: [TaskID: Made] = [:]
    private var bursts: [Burst: State] = [:]
    /// Of threads that run no job, when they made the first task of those that they make now, and the latest.
    private var outside: [Int: (first: UInt64, last: UInt64)] = [:]

    var isEmpty: Bool { made.isEmpty }

    func create(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard event.label != .none, let since = beginning(of: event, lane: lane, scene) else { return }
        let burst = Burst(lane: lane, since: since, site: scene.site(of: event.label))
        var state = bursts[burst] ?? State()
        guard state.made < Self.limit else { return }
        let evidence = Evidence(.created, of: event.task, label: event.label, at: event.time)
        made[event.task] = Made(burst: burst, number: state.made, evidence: evidence)
        state.made += 1
        state.open += 1
        bursts[burst] = state
    }

    /// When that began which makes a task; nil where it is not known what that is.
    private func beginning(of event: TaskEvent, lane: Int, _ scene: WarningScene) -> UInt64? {
        let isOfSwift = scene.store.task(event.otherTask)?.kind.isOfSwift ?? false
        if let job = scene.jobs.job(on: lane) { return isOfSwift && job.task != event.otherTask ? nil : job.since }
        // A body that runs inline, and what an asynchronous main does before it first awaits, are in no job either.
        guard !isOfSwift else { return nil }
        var go = outside[lane] ?? (event.time, event.time)
        if event.time > go.last + Self.pause { go.first = event.time }
        go.last = event.time
        outside[lane] = go
        return go.first
    }

    /// A task gets to an actor. Returns what proves that it was made before more than `threshold` others that were there before it, and how
    /// many these are; once a burst.
    func arrive(_ event: TaskEvent, threshold: Int) -> (evidence: [Evidence], overtakers: Int)? {
        guard let task = made[event.task], var state = bursts[task.burst], !state.isReported else { return nil }
        let before = state.arrivals[event.executor] ?? []
        // A task's first visit is its arrival.
        guard !before.contains(where: { $0.made.task == event.task }) else { return nil }
        let overtakers = before.filter { $0.number > task.number }
        state.isReported = overtakers.count > threshold
        state.arrivals[event.executor] = before + [Arrival(number: task.number, made: task.evidence, hop: Evidence(event))]
        bursts[task.burst] = state
        guard state.isReported else { return nil }
        let first = overtakers.prefix(Finding.evidenceLimit / 2 - 1)
        return ([task.evidence] + first.map(\.made) + first.map(\.hop) + [Evidence(event)], overtakers.count)
    }

    /// A task has ended: with the last of a burst, what was known of it is of no use.
    func end(_ id: TaskID) {
        guard let task = made.removeValue(forKey: id), let open = bursts[task.burst]?.open else { return }
        bursts[task.burst]?.open = open - 1
        if open == 1 { bursts[task.burst] = nil }
    }
}
