import TaskEvents
import TraceStore

/// A kind of problem in a program, and the way to find it in a trace.
///
/// Each rule has its own file. ``WarningRules/all`` lists the rules, and no other place names them. A rule that could be wrong reports
/// nothing. A rule has no state: the ``WarningWatch`` that it makes for a trace holds the state.
package protocol WarningRule: Sendable {
    /// The name in reports and settings. It never changes.
    var id: String { get }
    var severity: WarningSeverity { get }
    /// The problem as a sentence without a full stop.
    var summary: String { get }
    /// The limit that a finding exceeds. Nil for a rule without a measured value.
    var threshold: WarningThreshold? { get }

    /// The routes of observation that the rule needs. If a trace of Swift tasks lacks one, the rule reports nothing and is *not checked*.
    var needs: TraceRoutes { get }

    /// Whether the rule needs tasks that ended long ago. If the store has dropped any of them, the rule is not checked.
    var needsEndedTasks: Bool { get }

    /// Whether the rule finds some of its problems only at the program's end. If the trace ends earlier, the rule is not checked.
    var needsEnd: Bool { get }

    /// The missing setting without which the rule has nothing to look for, as a clause. Nil if no setting is missing.
    func missingSetting(_ settings: WarningSettings) -> String?

    /// The watch that looks for the problem in one trace, with the settings in force.
    func watch(_ settings: WarningSettings) -> WarningWatch

    /// The finding as a whole sentence.
    func message(of finding: Finding, _ words: WarningWords) -> String
}

extension WarningRule {
    package var needsEndedTasks: Bool { false }
    package var needsEnd: Bool { false }
    package func missingSetting(_ settings: WarningSettings) -> String? { nil }
}

/// The severity of a finding, the worst first.
package enum WarningSeverity: UInt8, CaseIterable, Comparable, Sendable {
    /// An error of the program: a task hangs, was completed twice, or failed without a reader.
    case error
    /// The program loses something: an error, or the time of waiting tasks.
    case warning
    /// The program pays a cost that may be intended.
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

/// A limit with its unit. A rule reports values that exceed its threshold, but not values that equal it.
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
