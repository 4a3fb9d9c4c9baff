import TaskEvents
import TraceStore

/// Looks for one rule's problem in one trace.
///
/// Each event comes once, in the trace's order, after the store has folded it. The store may therefore be ahead of the event, while the
/// scene's jobs are those at the time of the event. The watch reports a finding that stays valid to the scene once. ``standing(_:)``
/// returns the findings that may still become invalid.
package protocol WarningWatch: AnyObject {
    /// The kinds of events that the watch receives.
    var kinds: Set<EventKind> { get }

    /// Whether an event of one of these kinds with this detail can concern the watch. It is asked for details below 16, once for all
    /// events; larger ones may come in any case.
    func wants(_ kind: EventKind, detail: UInt8) -> Bool

    /// Whether only Swift tasks can show the problem. Without Swift tasks in the trace, the watch receives nothing.
    var isOfSwift: Bool { get }

    /// Takes an event. The scene's jobs are those that ran before it.
    func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene)

    /// The store and the jobs are at the same moment, so the watch can make its deferred checks.
    func settle(_ scene: WarningScene)

    /// The store is ahead of the events seen, and no record was lost in between. The watch can make those deferred checks that need the store
    /// alone, so that they do not all remain for ``settle(_:)``.
    func settleAhead(_ scene: WarningScene)

    /// The findings that hold now. At the end of the trace, all findings that were not reported.
    func standing(_ scene: WarningScene) -> [Finding]

    /// Events are missing at this point: jobs and tasks may have ended without a record.
    func missEvents()
}

extension WarningWatch {
    package var kinds: Set<EventKind> { [] }
    package func wants(_ kind: EventKind, detail: UInt8) -> Bool { true }
    package var isOfSwift: Bool { false }
    package func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {}
    package func settle(_ scene: WarningScene) {}
    package func settleAhead(_ scene: WarningScene) {}
    package func standing(_ scene: WarningScene) -> [Finding] { [] }
    package func missEvents() {}
}
