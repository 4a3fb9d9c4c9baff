import TaskEvents
import TraceStore

/// Whether a trace was checked for a rule, and why not.
package struct RuleCheck: Hashable, Sendable {
    /// Why a rule was not checked.
    package enum Obstacle: Hashable, Sendable {
        /// The settings switch it off.
        case off
        /// A setting is missing; the clause says which.
        case setting(String)
        /// The trace cannot show it, or not all of it.
        case blindness(Blindness)
    }

    package let rule: String
    /// Nil if the whole trace was checked.
    package let obstacle: Obstacle?

    init(_ rule: some WarningRule, _ settings: WarningSettings, in store: TraceStore, missedEvents: Int) {
        self.rule = rule.id
        obstacle =
            if settings.isOff(rule.id) {
                .off
            } else if let missing = rule.missingSetting(settings) {
                .setting(missing)
            } else {
                Self.blindness(of: rule, in: store, missedEvents: missedEvents).map { .blindness($0) }
            }
    }

    private static func blindness(of rule: some WarningRule, in store: TraceStore, missedEvents: Int) -> Blindness? {
        let missing = rule.needs.subtracting(store.swiftRoutes)
        if !missing.isEmpty { return .routes(missing) }
        // Any event may be among the lost records.
        if store.lostCount > 0 { return .lost(records: store.lostCount) }
        if missedEvents > 0 { return .missed(events: missedEvents) }
        return rule.needsEndedTasks && store.evictedCount > 0 ? .evicted(tasks: store.evictedCount) : nil
    }

    package var isChecked: Bool { obstacle == nil }

    /// Whether the trace lacks a route that the rule rests on. What the rule then seems to find may be the gap, and is not listed.
    var isBlind: Bool {
        if case .blindness(.routes) = obstacle { true } else { false }
    }

    /// Whether the trace is why it was not checked, and not the settings.
    package var isUnchecked: Bool {
        if case .blindness = obstacle { true } else { false }
    }

    /// The reason as a clause; nil if the rule was checked.
    package var why: String? {
        switch obstacle {
        case nil: nil
        case .off: "the settings switch it off"
        case .setting(let missing): missing
        case .blindness(let blindness): blindness.reason
        }
    }
}

extension [RuleCheck] {
    /// The rules that the trace did not let be checked, with the reasons: `unobserved-fault, wait-cycle (12 records were lost)`. Nil if there is
    /// none.
    package var uncheckedText: String? {
        var reasons: [String] = []
        var rules: [String: [String]] = [:]
        for check in self where check.isUnchecked {
            guard let why = check.why else { continue }
            if rules[why] == nil { reasons.append(why) }
            rules[why, default: []].append(check.rule)
        }
        guard !reasons.isEmpty else { return nil }
        return reasons.map { "\(rules[$0]!.joined(separator: ", ")) (\($0))" }.joined(separator: "; ")
    }
}
