import TaskEvents
import TraceStore

/// Whether a rule could be checked on a trace, and if not, why.
package struct RuleCheck: Hashable, Sendable {
    /// The reason why a rule was not checked.
    package enum Obstacle: Hashable, Sendable {
        /// The settings switch it off.
        case off
        /// A setting is missing. The clause names it.
        case setting(String)
        /// The trace cannot show the problem, or only a part of it.
        case blindness(Blindness)
    }

    package let rule: String
    /// Nil if the rule was checked on the whole trace.
    package let obstacle: Obstacle?
    /// Whether the trace lacks a route that the rule needs. Findings of such a rule may be caused by the gap and are not listed.
    let isBlind: Bool

    init(_ rule: some WarningRule, _ settings: WarningSettings, in store: TraceStore, missedEvents: Int) {
        self.rule = rule.id
        isBlind = !settings.isOff(rule.id) && rule.missingSetting(settings) == nil && !rule.needs.isSubset(of: store.swiftRoutes)
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
        let missing = rule.needs.union(rule.sees).subtracting(store.swiftRoutes)
        if !missing.isEmpty { return .routes(missing) }
        // Any event can be among the lost records.
        if store.lostCount > 0 { return .lost(records: store.lostCount) }
        if missedEvents > 0 { return .missed(events: missedEvents) }
        if rule.needsEndedTasks, store.evictedCount > 0 { return .evicted(tasks: store.evictedCount) }
        return rule.needsEnd && store.end == .cut ? .cut : nil
    }

    package var isChecked: Bool { obstacle == nil }

    fileprivate var lacksRoutes: Bool {
        if case .blindness(.routes) = obstacle { true } else { false }
    }

    /// Whether the trace, and not the settings, kept the rule from being checked.
    package var isUnchecked: Bool {
        if case .blindness = obstacle { true } else { false }
    }

    /// Whether the rule needs the program's end, and the trace ends before it.
    package var needsMissingEnd: Bool { obstacle == .blindness(.cut) }

    /// The reason as a clause. Nil if the rule was checked.
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
    /// The rules that could not be checked on the trace, with the reasons: `unobserved-fault, wait-cycle (12 records were lost)`. Nil if
    /// there are none.
    package var uncheckedText: String? {
        var reasons: [String] = []
        var rules: [String: [String]] = [:]
        let gaps = gaps
        for check in self where check.isUnchecked {
            guard let why = check.lacksRoutes ? gaps ?? check.why : check.why else { continue }
            if rules[why] == nil { reasons.append(why) }
            rules[why, default: []].append(check.rule)
        }
        guard !reasons.isEmpty else { return nil }
        return reasons.map { "\(rules[$0]!.joined(separator: ", ")) (\($0))" }.joined(separator: "; ")
    }

    /// One reason in place of many: all that the trace lacks, if rules lack different parts of it. Nil if few reasons differ.
    private var gaps: String? {
        let missing = compactMap { check in
            if case .blindness(.routes(let routes)) = check.obstacle { routes } else { nil }
        }
        guard Set(missing).count > Self.mostReasons else { return nil }
        let all = missing.reduce(into: TraceRoutes()) { $0.formUnion($1) }
        return "each needs a part of what the trace does not show: \(all.subjects.joined(separator: ", "))"
    }

    private static var mostReasons: Int { 4 }
}
