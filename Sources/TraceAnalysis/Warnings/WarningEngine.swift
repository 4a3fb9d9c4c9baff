import TaskEvents
import TraceStore
import TraceTransport

/// Runs all rules on one trace. Like the store, it belongs to one thread.
///
/// Its owner calls ``follow(_:)`` after each batch that the store has folded. The engine looks at each event once. ``list(in:now:isOver:)``
/// returns the findings so far, and those that hold at the moment.
///
/// The store keeps the latest 262,144 events. The owner can pass older events to ``take(_:of:)``. Without them, the rules report nothing of
/// that time, and ``WarningList/missedEvents`` gives the number of missing events.
package final class WarningEngine {
    package let rules: [any WarningRule]
    /// A change of the disabled rules or of the suppressions takes effect in the next list. A rule whose threshold changes begins again
    /// with the events that the store still has.
    package var settings: WarningSettings {
        didSet { if settings != oldValue { adapt(from: oldValue) } }
    }

    private var reading: Reading?
    private var book: WarningBook
    private let limit: Int

    /// - Parameter limit: the number of findings kept per kind. All are counted.
    package init(rules: [any WarningRule] = WarningRules.all, settings: WarningSettings = WarningSettings(), limit: Int = 100_000) {
        self.rules = rules
        self.settings = settings
        self.limit = limit
        book = WarningBook(limit: limit)
    }

    /// Takes the events since the last call.
    package func follow(_ store: TraceStore) {
        let reading = reading(of: store)
        reading.follow()
        take(from: reading)
    }

    /// Takes events that the store has seen and may have dropped, beginning after the last event taken. The effect is that of following the
    /// store.
    package func take(_ stretches: [EventStretch], of store: TraceStore) {
        let reading = reading(of: store)
        reading.follow(stretches)
        take(from: reading)
    }

    /// Forgets the findings so far. The rules go on from the events that they have seen.
    package func forgetFindings() {
        book = WarningBook(limit: limit)
    }

    /// Makes the deferred checks at the store's time, to which its owner may have advanced it without an event. A problem of a program that
    /// has fallen silent is found this way.
    package func settle(in store: TraceStore) {
        let reading = reading(of: store)
        reading.follow()
        reading.settle()
        take(from: reading)
    }

    /// The number of the store's events that the engine has looked at.
    package func seenCount(of store: TraceStore) -> Int {
        reading(of: store).seen
    }

    private func reading(of store: TraceStore) -> Reading {
        if let reading, reading.scene.store === store, store.eventCount >= reading.seen { return reading }
        // This is another trace, or the same trace at an earlier time.
        let reading = Reading(store, rules.map { $0.detector(settings) })
        self.reading = reading
        book = WarningBook(limit: limit)
        return reading
    }

    private func take(from reading: Reading) {
        for finding in reading.scene.reported { book.add(finding) }
        reading.scene.reported.removeAll(keepingCapacity: true)
    }

    /// All findings in the trace in its present state.
    ///
    /// - Parameters:
    ///   - now: the time up to which open tasks and jobs count. If nil, the store's time.
    ///   - isOver: whether the trace has no further events. If true, the call makes a pass over the tasks.
    package func list(in store: TraceStore, now: UInt64? = nil, isOver: Bool) -> WarningList {
        follow(store)
        var whole = book
        for finding in reading?.standing(at: now ?? store.now, isOver: isOver) ?? [] { whole.add(finding) }
        return WarningList(whole, rules, settings, in: store, missedEvents: reading?.missed ?? 0)
    }

    /// Replays the store's remaining events for the rules whose thresholds have changed.
    private func adapt(from old: WarningSettings) {
        guard let reading else { return }
        let store = reading.scene.store
        if store.eventCount >= reading.seen, store.oldestEvent <= reading.seen + 1 {
            reading.follow()
            take(from: reading)
        }
        guard reading.seen == store.eventCount else {
            // The store has gone back in time, or only the engine's owner has the next events. All rules begin again.
            self.reading = nil
            book = WarningBook(limit: limit)
            return
        }
        let hasOtherNames = settings.mainNames != old.mainNames || settings.onceNames != old.onceNames
        for (index, rule) in rules.enumerated() where hasOtherNames || settings.threshold(of: rule) != old.threshold(of: rule) {
            book.remove(rule: rule.id)
            let again = Reading(reading.scene.store, [rule.detector(settings)])
            again.follow()
            take(from: again)
            reading.replace(at: index, by: again)
        }
    }
}

/// The progress through a trace's events: the detectors, and the jobs that run at the last event seen.
private final class Reading {
    let scene: WarningScene
    private var detectors: [WarningDetector]
    private var table = DetectorTable([])
    /// Whether a Swift task has been seen.
    private var hasSwiftTasks = false
    /// The number of the last event seen.
    private(set) var seen = 0
    /// The number of events that the store dropped before the engine saw them.
    private(set) var missed = 0
    private var lossesSeen: UInt64 = 0
    /// Whether the last event was a loss on every thread. A damaged recording has one for each missing event, and after the first there is
    /// nothing more to forget.
    private var hasForgotten = false

    init(_ store: TraceStore, _ detectors: [WarningDetector]) {
        scene = WarningScene(store)
        self.detectors = detectors
        observe()
    }

    private func observe() {
        table = DetectorTable(detectors.filter { hasSwiftTasks || !$0.isOfSwift })
    }

    /// Takes over a detector from a reading that has reached the same event.
    func replace(at index: Int, by other: Reading) {
        precondition(seen == other.seen, "one reading is at event \(seen), the other at \(other.seen)")
        detectors[index] = other.detectors[0]
        hasSwiftTasks = hasSwiftTasks || other.hasSwiftTasks
        observe()
    }

    func follow() {
        let store = scene.store
        guard store.eventCount > seen else { return }
        scene.isOver = false
        scene.forgetPaths()
        while seen < store.eventCount {
            if let stretch = store.stretch(from: seen + 1) { take(stretch) } else { skipForgotten(until: store.oldestEvent) }
        }
        settle()
    }

    func follow(_ stretches: [EventStretch]) {
        scene.isOver = false
        scene.forgetPaths()
        for stretch in stretches {
            if stretch.first > seen + 1 { skipForgotten(until: stretch.first) }
            precondition(stretch.first == seen + 1, "event \(stretch.first) comes after event \(seen)")
            take(stretch)
        }
        if seen == scene.store.eventCount {
            settle()
        } else if scene.store.lostCount <= lossesSeen {
            // A record that will be seen to be missing takes away what the store seems to prove.
            for detector in detectors { detector.settleAhead(scene) }
        }
    }

    func settle() {
        hasForgotten = false
        noteUnseenLosses()
        scene.now = scene.store.now
        for detector in detectors { detector.settle(scene) }
    }

    func standing(at now: UInt64, isOver: Bool) -> [Finding] {
        scene.now = now
        scene.isOver = isOver
        return detectors.flatMap { $0.standing(scene) }
    }

    private func take(_ stretch: EventStretch) {
        stretch.events.withUnsafeBufferPointer { events in
            stretch.lanes.withUnsafeBufferPointer { lanes in
                // A local reference, because one that is loaded for each event is retained for each.
                var table = table
                for index in events.indices {
                    guard let kind = events[index].kind else { continue }
                    let isOfAll = kind == .lost && lanes[index] == TraceBatch.noLane
                    if isOfAll, hasForgotten {
                        count(loss: events[index])
                        continue
                    }
                    hasForgotten = isOfAll
                    if note(events[index], kind) { table = self.table }
                    let lane = Int(lanes[index])
                    scene.begin(events[index], kind, lane: lane)
                    table.see(events[index], kind, lane, scene)
                    scene.finish(events[index], kind, lane: lane)
                }
            }
        }
        seen += stretch.events.count
    }

    /// Notes a loss, and the first Swift task. Returns whether the table has changed.
    private func note(_ event: TaskEvent, _ kind: EventKind) -> Bool {
        if kind == .lost {
            count(loss: event)
            for detector in detectors { detector.missEvents() }
        }
        guard kind == .created, !hasSwiftTasks, TaskKind(rawValue: event.detail)?.isOfSwift == true else { return false }
        hasSwiftTasks = true
        observe()
        return true
    }

    /// Continues with the oldest event that the store still has.
    private func skipForgotten(until kept: Int) {
        missed += kept - 1 - seen
        seen = kept - 1
        scene.jobs.interruptAll()
        for detector in detectors { detector.missEvents() }
    }

    /// Records may have been lost among the events that the engine did not see.
    private func noteUnseenLosses() {
        guard scene.store.lostCount > lossesSeen else { return }
        lossesSeen = scene.store.lostCount
        scene.lastLoss = max(scene.lastLoss ?? 0, scene.store.now)
        for detector in detectors { detector.missEvents() }
    }

    private func count(loss: TaskEvent) {
        lossesSeen = lossesSeen.plus(loss.other)
        scene.now = loss.time
        scene.lastLoss = max(scene.lastLoss ?? 0, loss.time)
    }
}
