import TaskEvents

extension TaskKind {
    /// Whether the detail of a `created` event is that of `Task { }` or `Task.detached { }`.
    static func isUnstructured(_ detail: UInt8) -> Bool {
        detail == TaskKind.unstructured.rawValue || detail == TaskKind.detached.rawValue
    }
}

/// Looks for one rule's problem in one trace.
///
/// Each event comes once, in the trace's order, after the store has folded it. The store may therefore be ahead of the event, while the
/// scene's jobs are those at the time of the event. The detector reports a finding that stays valid to the scene once. ``standing(_:)``
/// returns the findings that may still become invalid.
///
/// It is a class and not a protocol, because each event goes to several detectors: a call of a method of a class is the cheapest.
package class WarningDetector {
    init() {}

    /// The kinds of events that the detector receives.
    package var kinds: Set<EventKind> { [] }

    /// Whether an event of one of these kinds with this detail can concern the detector. It is asked for details below 16, once for all
    /// events; larger ones may come in any case.
    package func wants(_ kind: EventKind, detail: UInt8) -> Bool { true }

    /// Whether only Swift tasks can show the problem. Without Swift tasks in the trace, the detector receives nothing.
    package var isOfSwift: Bool { false }

    /// Takes an event. The scene's jobs are those that ran before it.
    package func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {}

    /// The store and the jobs are at the same moment, so the detector can make its deferred checks.
    package func settle(_ scene: WarningScene) {}

    /// The store is ahead of the events seen, and no record was lost in between. The detector can make those deferred checks that need the
    /// store alone, so that they do not all remain for ``settle(_:)``.
    package func settleAhead(_ scene: WarningScene) {}

    /// The findings that hold now. At the end of the trace, all findings that were not reported.
    package func standing(_ scene: WarningScene) -> [Finding] { [] }

    /// Events are missing at this point: jobs and tasks may have ended without a record.
    package func missEvents() {}
}
