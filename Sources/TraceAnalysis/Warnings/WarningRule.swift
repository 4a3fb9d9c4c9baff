import TaskEvents
import TraceStore

/// How bad a finding is, the worst first.
package enum WarningSeverity: UInt8, CaseIterable, Comparable, Sendable {
    /// The program cannot have meant it: something hangs, or was said twice.
    case error
    /// Something is lost: an error, or the time of whoever waits.
    case warning
    /// It costs something and may be meant.
    case hint

    package static func < (one: WarningSeverity, other: WarningSeverity) -> Bool {
        one.rawValue < other.rawValue
    }

    /// The word that reports use.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .hint: "hint"
        }
    }
}

/// A thing that can be wrong with a program, and how to find it in a trace.
///
/// One file a rule; ``WarningRules/all`` lists them, and there is no other place to tell of a new one. A rule that can be wrong stays quiet.
/// It holds nothing: what it has seen of a trace is in the ``WarningWatch`` that it makes for it.
package protocol WarningRule: Sendable {
    /// The name that reports and settings use; it never changes.
    var id: String { get }
    var severity: WarningSeverity { get }
    /// What it says, as a sentence without its end.
    var summary: String { get }
    /// What has to be exceeded; nil for a rule that simply holds or does not.
    var threshold: WarningThreshold? { get }

    /// What looks for it in one trace. `threshold` is the one in force, 0 for a rule that has none.
    func watch(threshold: UInt64) -> any WarningWatch

    /// The finding as a whole sentence.
    func message(of finding: Finding, _ words: WarningWords) -> String
}

/// A limit with its unit. A rule speaks of what is more than its threshold; of what equals it, it does not.
package struct WarningThreshold: Hashable, Sendable {
    package enum Unit: Sendable {
        case nanoseconds
        case count
    }

    package var value: UInt64
    package var unit: Unit

    package static func nanoseconds(_ value: UInt64) -> WarningThreshold {
        WarningThreshold(value: value, unit: .nanoseconds)
    }

    package static func milliseconds(_ value: UInt64) -> WarningThreshold {
        .nanoseconds(value * 1_000_000)
    }

    package static func count(_ value: UInt64) -> WarningThreshold {
        WarningThreshold(value: value, unit: .count)
    }

    /// `100.0 ms`, `10,000`.
    package func text(isASCII: Bool = false) -> String {
        switch unit {
        case .nanoseconds: DurationText.text(value, isASCII: isASCII)
        case .count: CountText.text(value)
        }
    }
}

/// Looks for one rule in one trace: on events as they come, on tasks as they stand, or on both.
///
/// Events come once, in the trace's order. Passes over the tasks come as often as somebody wants findings, and may be spread over several
/// frames: `beginPass`, `look` at each kept task by ascending id, `endPass`. What the events showed is reported in every pass.
package protocol WarningWatch: AnyObject {
    /// The kinds of events that it wants to see.
    var kinds: Set<EventKind> { get }

    /// An event; `jobs` is what ran before it.
    func see(_ event: TaskEvent, lane: Int, _ jobs: ThreadJobs)

    /// Events are missing here: what has begun may have ended unseen.
    func missEvents()

    func beginPass(_ scene: WarningScene)
    func look(at task: TaskView, _ scene: WarningScene, _ report: (Finding) -> Void)
    func endPass(_ scene: WarningScene, _ report: (Finding) -> Void)
}

extension WarningWatch {
    package var kinds: Set<EventKind> { [] }
    package func see(_ event: TaskEvent, lane: Int, _ jobs: ThreadJobs) {}
    package func missEvents() {}
    package func beginPass(_ scene: WarningScene) {}
    package func look(at task: TaskView, _ scene: WarningScene, _ report: (Finding) -> Void) {}
    package func endPass(_ scene: WarningScene, _ report: (Finding) -> Void) {}
}
