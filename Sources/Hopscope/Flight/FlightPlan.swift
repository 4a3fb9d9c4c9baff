import TaskEvents
import TraceAnalysis

/// The events that a flight recorder keeps, and the triggers that make it write. Times are in nanoseconds.
package struct FlightPlan: Sendable {
    /// The time before the trigger that a recording has.
    package var last: UInt64 = 30_000_000_000
    /// A task whose time since its creation is longer is a trigger, also while it has not ended.
    package var slowTask: UInt64?
    /// A chain whose time since its first creation is longer is a trigger.
    package var slowChain: UInt64?
    /// The rules whose findings are triggers.
    package var rules = FlightPlan.defaultRules
    /// A task that matches is a trigger. The empty query matches none here.
    package var query = TaskQuery()
    /// The most recordings in an hour. Recordings that were asked for do not count.
    package var mostPerHour = 12
    /// The time between two recordings of the same trigger.
    package var pause: UInt64 = 60_000_000_000
    package var settings = WarningSettings()

    package init() {}

    /// An error that was never read, a main queue or a pool that stands still, tasks that wait for each other.
    package static let defaultRules: Set<String> = ["unobserved-fault", "main-stall", "pool-starvation", "wait-cycle"]

    /// A plan without triggers: only what is asked for is written.
    package static var silent: FlightPlan {
        var plan = FlightPlan()
        plan.rules = []
        return plan
    }
}

/// The reason for a recording.
package struct FlightCause: Hashable, Sendable {
    /// The trigger as a word, for the file's name: `slow-task`, `slow-chain`, `query`, `signal`, `crash`, `asked`, or a rule.
    package var trigger: String
    /// The trigger's task; `.none` if there is none.
    package var task: TaskID = .none
    /// A whole sentence.
    package var sentence: String

    package init(_ trigger: String, _ task: TaskID = .none, _ sentence: String) {
        self.trigger = trigger
        self.task = task
        self.sentence = sentence
    }
}
