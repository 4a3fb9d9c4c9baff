import TaskEvents
import TraceStore

/// A thing that can be wrong with a program, and how to find it in a trace.
///
/// One file a rule; ``WarningRules/all`` lists them, and no other place knows of them. A rule that can be wrong stays quiet. It has no state:
/// what was seen of a trace is in the ``WarningWatch`` that the rule makes for it.
package protocol WarningRule: Sendable {
    /// The name that reports and settings use; it never changes.
    var id: String { get }
    var severity: WarningSeverity { get }
    /// What it says, as a sentence without its end.
    var summary: String { get }
    /// What has to be exceeded; nil for a rule that simply holds or does not.
    var threshold: WarningThreshold? { get }

    /// The routes of observation that it rests on. Where a trace of Swift's tasks lacks one, the rule says nothing and is *not checked*.
    var needs: TraceRoutes { get }

    /// Whether it rests on tasks that ended long ago: it is not checked where the store has forgotten any.
    var needsEndedTasks: Bool { get }

    /// A setting without which there is nothing to look for, as a clause; nil if none is missing.
    func missingSetting(_ settings: WarningSettings) -> String?

    /// What looks for it in one trace, by the settings in force.
    func watch(_ settings: WarningSettings) -> any WarningWatch

    /// The finding as a whole sentence.
    func message(of finding: Finding, _ words: WarningWords) -> String
}

extension WarningRule {
    package var needsEndedTasks: Bool { false }
    package func missingSetting(_ settings: WarningSettings) -> String? { nil }
}

/// How bad a finding is, the worst first.
package enum WarningSeverity: UInt8, CaseIterable, Comparable, Sendable {
    /// The program cannot have meant it: something hangs, was set twice, or failed without a reader.
    case error
    /// Something is lost: an error, or the time of those that wait.
    case warning
    /// It costs something and may be meant.
    case note

    package static func < (one: WarningSeverity, other: WarningSeverity) -> Bool {
        one.rawValue < other.rawValue
    }

    /// The word that reports use.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .note: "note"
        }
    }
}

/// A limit with its unit. A rule speaks of what is more than its threshold; of what equals it, it does not.
package struct WarningThreshold: Hashable, Sendable {
    package enum Unit: Sendable {
        case nanoseconds
        case count
    }

    package var value: UInt64
    package var unit: Unit

    package init(value: UInt64, unit: Unit) {
        self.value = value
        self.unit = unit
    }

    package static func milliseconds(_ value: UInt64) -> WarningThreshold {
        WarningThreshold(value: value * 1_000_000, unit: .nanoseconds)
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
