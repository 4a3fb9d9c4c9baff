import TaskEvents
import TraceStore

/// Asks all rules about one trace. Like the store, it belongs to one thread.
///
/// Of a trace that is complete, ``findings(in:now:isOver:limit:)`` is all there is to call. Live, an owner calls ``follow(_:)`` after each
/// batch, and ``proceed(in:now:tasks:limit:)`` in each frame: events are taken once each, and a pass over the tasks is spread over as many
/// frames as it needs, so that a million tasks cost no frame.
///
/// The store keeps the latest 262,144 events. An engine that is asked later than that goes without the older ones: the rules that need
/// events say nothing of that time, and ``WarningList/missedEvents`` says how much it was.
package final class WarningEngine {
    package let rules: [any WarningRule]
    /// A change begins anew, with the events that the store still has.
    package var settings: WarningSettings {
        didSet { if settings != oldValue { restart() } }
    }

    /// By rule; nil for one that is off.
    private var watches: [(any WarningWatch)?] = []
    /// The watches that want to see an event, by its kind's number; all of them of no kind that ``ThreadJobs`` does not need.
    private var observers: [[any WarningWatch]] = []
    private var jobs = ThreadJobs()
    /// The number of the last event seen.
    private var seen = 0
    private var missed = 0
    private var seenFrom: UInt64 = 0
    private var lossesSeen: UInt64 = 0
    private var lastLoss: UInt64?
    private var pass: Pass?

    private struct Pass {
        var last = TaskID.none
        var collection: WarningCollection
    }

    package init(rules: [any WarningRule] = WarningRules.all, settings: WarningSettings = WarningSettings()) {
        self.rules = rules
        self.settings = settings
        restart()
    }

    /// Forgets what was seen of the trace.
    package func restart() {
        watches = rules.map { rule in
            settings.isOff(rule.id) ? nil : rule.watch(threshold: settings.threshold(of: rule)?.value ?? 0)
        }
        observers = (0...EventKind.allCases.map { Int($0.rawValue) }.max()!).map { number in
            guard let kind = EventKind(rawValue: UInt8(number)) else { return [] }
            return watches.compactMap { $0 }.filter { $0.kinds.contains(kind) }
        }
        jobs = ThreadJobs()
        (seen, missed, seenFrom, lossesSeen, lastLoss, pass) = (0, 0, 0, 0, nil, nil)
    }

    // MARK: Findings

    /// Everything that the rules find in the trace as it stands: one pass over the tasks.
    ///
    /// - Parameters:
    ///   - now: the time for what has not ended, the store's if nil.
    ///   - isOver: whether nothing will come after it, so that what has not happened never will.
    ///   - limit: of so many of one kind the findings are listed; all of them are counted.
    package func findings(in store: TraceStore, now: UInt64? = nil, isOver: Bool, limit: Int = .max) -> WarningList {
        pass = nil
        return advance(in: store, now: now, isOver: isOver, tasks: .max, limit: limit)!
    }

    /// Goes on with a pass, by at most so many tasks. When it has come to the last one it answers with what it found, and the next call
    /// begins the next pass.
    package func proceed(in store: TraceStore, now: UInt64? = nil, tasks: Int = 4096, limit: Int = 1000) -> WarningList? {
        advance(in: store, now: now, isOver: false, tasks: tasks, limit: limit)
    }

    private func advance(in store: TraceStore, now: UInt64?, isOver: Bool, tasks: Int, limit: Int) -> WarningList? {
        follow(store)
        let scene = scene(of: store, now: now, isOver: isOver)
        if pass == nil {
            pass = Pass(collection: WarningCollection(store, rules, settings.suppressions, limit: limit))
            for watch in watches { watch?.beginPass(scene) }
        }
        guard look(in: scene, tasks: tasks) else { return nil }
        forEachWatch { watch, report in watch.endPass(scene, report) }
        defer { pass = nil }
        return pass!.collection.list(missedEvents: missed)
    }

    /// Whether the last task has been looked at.
    private func look(in scene: WarningScene, tasks: Int) -> Bool {
        var left = tasks
        for row in scene.store.rows(after: pass!.last) {
            guard left > 0 else { return false }
            left -= 1
            let task = scene.store[row]
            pass!.last = task.id
            forEachWatch { watch, report in watch.look(at: task, scene, report) }
        }
        return true
    }

    private func forEachWatch(_ body: (any WarningWatch, (Finding) -> Void) -> Void) {
        for index in watches.indices {
            guard let watch = watches[index] else { continue }
            body(watch) { pass!.collection.add($0, of: index) }
        }
    }

    private func scene(of store: TraceStore, now: UInt64?, isOver: Bool) -> WarningScene {
        WarningScene(store, now: now ?? store.now, isOver: isOver, jobs: jobs, lastLoss: lastLoss, seenFrom: seenFrom)
    }

    // MARK: Events

    /// Takes the events that have come since the last call.
    package func follow(_ store: TraceStore) {
        // Another trace, or this one from an earlier time.
        if store.eventCount < seen { restart() }
        guard store.eventCount > seen else { return }
        var kinds = ExecutorKinds(store)
        while seen < store.eventCount {
            guard let event = store.event(number: seen + 1) else {
                skipForgotten(in: store)
                continue
            }
            seen += 1
            take(event.event, lane: event.lane, &kinds)
        }
        // Records that were lost among the events that were not seen.
        if store.lostCount > lossesSeen {
            lossesSeen = store.lostCount
            lastLoss = max(lastLoss ?? 0, seenFrom)
        }
    }

    private func take(_ event: TaskEvent, lane: Int, _ kinds: inout ExecutorKinds) {
        guard let kind = event.kind else { return }
        if kind == .lost {
            lossesSeen += event.other
            lastLoss = max(lastLoss ?? 0, event.time)
        }
        let observers = observers[Int(kind.rawValue)]
        for observer in observers { observer.see(event, lane: lane, jobs) }
        guard ThreadJobs.kinds.contains(kind) else { return }
        jobs.apply(event, lane: lane, isMain: kind == .started && kinds.isMain(event.executor))
    }

    /// Goes on with the oldest event that the store still has.
    private func skipForgotten(in store: TraceStore) {
        var (known, kept) = (seen, store.eventCount)
        while kept - known > 1 {
            let middle = known + (kept - known) / 2
            if store.event(number: middle) == nil { known = middle } else { kept = middle }
        }
        missed += kept - 1 - seen
        seen = kept - 1
        seenFrom = store.event(number: kept)?.event.time ?? store.now
        jobs.interruptAll()
        for watch in watches { watch?.missEvents() }
    }
}

/// Which executors are main, without asking the table for each event.
private struct ExecutorKinds {
    private let store: TraceStore
    private var latest = ExecutorID.none
    private var isLatestMain = false

    init(_ store: TraceStore) {
        self.store = store
    }

    mutating func isMain(_ executor: ExecutorID) -> Bool {
        if executor != latest {
            latest = executor
            isLatestMain = store.entries.executor(executor)?.kind == .main
        }
        return isLatestMain
    }
}
