import TaskEvents
import TraceStore
import TraceTransport

/// Something that a program does again and again, to no purpose: a task wakes itself many thousand times a second, or all tasks of one place
/// fail. No rule fires, because each single turn is as it should be.
package enum Repetition: Hashable, Sendable {
    /// A task slept or yielded so many times within so many nanoseconds.
    case turns(count: Int, nanoseconds: UInt64, sleeps: Bool)
    /// So many tasks of one place failed, one after the other, the last with this error.
    case failures(count: Int, error: EntryID)

    /// The number of latest events that are looked at, and the nanoseconds that they may go back.
    private static let eventLimit = 1 << 16
    private static let longest: UInt64 = 1_000_000_000
    /// From these numbers a second on, a task spins. A sleep of a millisecond takes longer, and so does a piece of work between two yields.
    private static let sleepsPerSecond: UInt64 = 1000
    private static let yieldsPerSecond: UInt64 = 20_000
    private static let leastTurns = 500
    /// A task whose last turn is older than this many nanoseconds spins no longer.
    private static let pause: UInt64 = 50_000_000
    private static let leastFailures = 10

    /// A repetition, as it was found.
    struct Found {
        var repetition: Repetition
        /// The task that spins, or that failed last.
        var task: TaskID
        var since: UInt64
        /// The calls in which the task spins, the most frequent first. One that is woken at once may show calls of its next turn. None for
        /// failures.
        var calls: [EntryID] = []
    }

    /// Whether its turns are sleeps. Nil for failures.
    var sleeps: Bool? {
        if case .turns(_, _, let sleeps) = self { sleeps } else { nil }
    }

    /// The repetitions among the latest events.
    static func all(in store: TraceStore) -> [Found] {
        guard store.eventCount > 0, store.now < store.lastEvent + pause * 10 else { return [] }
        var turns = TurnCounts(since: store.lastEvent > longest ? store.lastEvent - longest : 0)
        var failures = FailureCounts()
        var number = max(store.oldestEvent, store.eventCount - eventLimit + 1)
        while let stretch = store.stretch(from: number) {
            for (event, lane) in zip(stretch.events, stretch.lanes) {
                turns.see(event, lane)
                failures.see(event, store)
            }
            number = stretch.numbers.upperBound
        }
        return turns.found(store) + failures.found(store)
    }

    /// `` `poll` spins: it has slept 1,200 times in 300.0 ms, each time for hardly any time, App.swift:7 ``; ``All of the last 40 tasks like
    /// `connect` failed: Refused(port: 5432), thrown at App.swift:7``.
    ///
    /// - Parameter tasks: how many tasks spin at the place; `task` is one of them.
    func text(of task: TaskID, and tasks: Int, at site: String?, in store: TraceStore, isASCII: Bool) -> String {
        let name = "`\(TaskWords(store).name(of: task))`"
        switch self {
        case .turns(let count, let nanoseconds, let sleeps):
            let time = DurationText.text(nanoseconds, isASCII: isASCII)
            let what =
                sleeps
                ? "slept \(CountText.text(count)) times in \(time), each time for hardly any time"
                : "yielded \(CountText.text(count)) times in \(time), and done hardly anything in between"
            let place = site.map { ", \($0)" } ?? ""
            return tasks == 1
                ? "\(name) spins: it has \(what)\(place)"
                : "\(CountText.text(tasks, "task")) spin\(place): \(name) has \(what)"
        case .failures(let count, let error):
            let error = store.entries.error(error)
            let place = error.map(\.site) ?? ""
            return "All of the last \(CountText.text(count)) tasks like \(name) failed: \(ErrorText.text(error))"
                + (place.isEmpty ? "" : ", thrown at \(PrintableText.text(place))")
        }
    }

    // MARK: Turns

    /// The turns of tasks that woke themselves: each went to sleep or gave up its thread, and nothing else woke it.
    private struct TurnCounts {
        private struct Key: Hashable {
            var task: TaskID
            var sleeps: Bool
        }

        private struct Turns {
            var count = 0
            var first: UInt64
            var last: UInt64 = 0
            var calls: [EntryID: Int] = [:]
        }

        let since: UInt64
        private var turns: [Key: Turns] = [:]
        /// By lane, the suspension after which no other task of the program has begun there.
        private var suspended: [UInt16: TaskEvent] = [:]
        /// The tasks that the runtime made for itself. One that wakes a sleeping task is among them.
        private var timers: Set<TaskID> = []

        init(since: UInt64) {
            self.since = since
        }

        mutating func see(_ event: TaskEvent, _ lane: UInt16) {
            guard event.time >= since else { return }
            switch event.kind {
            case .suspended: suspended[lane] = event
            case .created where event.detail == TaskKind.internal.rawValue: timers.insert(event.task)
            case .enqueued: wake(event, lane)
            case .started where !timers.contains(event.task): suspended[lane] = nil
            case _: break
            }
        }

        private mutating func wake(_ event: TaskEvent, _ lane: UInt16) {
            let sleeps = event.otherTask != .none
            guard let before = suspended[lane], before.task == event.task, !sleeps || timers.contains(event.otherTask) else { return }
            suspended[lane] = nil
            let key = Key(task: event.task, sleeps: sleeps)
            turns[key, default: Turns(first: before.time)].count += 1
            turns[key]?.last = event.time
            turns[key]?.calls[before.label, default: 0] += 1
        }

        func found(_ store: TraceStore) -> [Found] {
            turns.compactMap { (key, turns) -> Found? in
                // Records of one lane may step back in time.
                guard turns.count >= Repetition.leastTurns, turns.last > turns.first else { return nil }
                let span = turns.last - turns.first
                let least = key.sleeps ? Repetition.sleepsPerSecond : Repetition.yieldsPerSecond
                guard UInt64(turns.count) * 1_000_000_000 / span >= least, store.lastEvent - turns.last <= Repetition.pause,
                    let task = store.task(key.task), !task.state.hasEnded
                else { return nil }
                let repetition = Repetition.turns(count: turns.count, nanoseconds: span, sleeps: key.sleeps)
                let calls = turns.calls.filter { $0.key != .none }
                    .sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
                return Found(repetition: repetition, task: key.task, since: turns.first, calls: calls.map(\.key))
            }
        }
    }

    // MARK: Failures

    /// The outcomes of the tasks of each place that threw an error.
    private struct FailureCounts {
        private struct Outcomes {
            var failed = 0
            var first: UInt64
            var last: TaskID
        }

        /// By place. Tasks of one place may have different names.
        private var failures: [String: Outcomes] = [:]
        private var succeeded: Set<String> = []
        private var places: [EntryID: String] = [:]

        mutating func see(_ event: TaskEvent, _ store: TraceStore) {
            guard event.kind == .faulted || event.kind == .completed, let task = store.task(event.task), task.labelID != .none else {
                return
            }
            guard event.kind == .faulted else {
                succeeded.insert(place(of: task))
                return
            }
            guard task.faultManner == .thrown else { return }
            let place = place(of: task)
            failures[place, default: Outcomes(first: event.time, last: event.task)].failed += 1
            failures[place]?.last = event.task
        }

        private mutating func place(of task: TaskView) -> String {
            if let place = places[task.labelID] { return place }
            let place = task.label.place
            places[task.labelID] = place
            return place
        }

        func found(_ store: TraceStore) -> [Found] {
            failures.compactMap { place, outcomes in
                guard outcomes.failed >= Repetition.leastFailures, !succeeded.contains(place), let task = store.task(outcomes.last) else {
                    return nil
                }
                let repetition = Repetition.failures(count: outcomes.failed, error: task.error)
                return Found(repetition: repetition, task: outcomes.last, since: outcomes.first)
            }
        }
    }
}
