import TaskEvents
import TraceStore

/// Looks for one rule in one trace.
///
/// Each event comes once, in the trace's order, after the store has folded it: the store may know what happened since, the scene's jobs are those
/// of the event's moment. A finding that stands for good is reported to the scene, once. A finding that may pass is returned by
/// ``standing(_:)`` each time.
package protocol WarningWatch: AnyObject {
    /// The kinds of events that it wants to see.
    var kinds: Set<EventKind> { get }

    /// Whether only Swift's own tasks can show what it looks for: where there are none, it is asked nothing.
    var isOfSwift: Bool { get }

    /// An event; the scene's jobs are what ran before it.
    func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene)

    /// The store and the jobs are at the same moment: a time to look at what was put off.
    func settle(_ scene: WarningScene)

    /// What holds now. Of a trace that is over, everything that was not reported.
    func standing(_ scene: WarningScene) -> [Finding]

    /// Events are missing here: what has begun may have ended unseen.
    func missEvents()
}

extension WarningWatch {
    package var kinds: Set<EventKind> { [] }
    package var isOfSwift: Bool { false }
    package func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {}
    package func settle(_ scene: WarningScene) {}
    package func standing(_ scene: WarningScene) -> [Finding] { [] }
    package func missEvents() {}
}
