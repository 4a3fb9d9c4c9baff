import TaskEvents

/// The error for a setting that cannot be parsed. Its sentence gives the accepted forms.
package struct WarningSettingError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

/// Parses settings as the user types them.
extension WarningSettings {
    /// Parses `rule=threshold`, `rule=off` or `rule=on`: `main-stall=50ms`, `fan-out=500`, `redundant-hop=off`.
    package mutating func set(_ flag: String, rules: [any WarningRule] = WarningRules.all) throws(WarningSettingError) {
        let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed }
        guard parts.count == 2 else {
            throw WarningSettingError(description: "'\(flag)' is no setting; write rule=threshold, rule=off or rule=on.")
        }
        let rule = try Self.rule(parts[0], rules)
        switch parts[1] {
        case "off": off.insert(rule.id)
        case "on":
            off.remove(rule.id)
            thresholds[rule.id] = nil
        case let text:
            guard let threshold = rule.threshold else {
                throw WarningSettingError(description: "'\(rule.id)' has no threshold; write \(rule.id)=off or \(rule.id)=on.")
            }
            guard let value = threshold.unit.value(of: text) else {
                throw WarningSettingError(description: "'\(text)' is no threshold of '\(rule.id)'; \(threshold.unit.advice).")
            }
            thresholds[rule.id] = value
            off.remove(rule.id)
        }
    }

    /// Parses `rule:name` or `*:name`, where the name can contain `*` and `?`: `unobserved-fault:probe*`.
    package mutating func suppress(_ flag: String, rules: [any WarningRule] = WarningRules.all) throws(WarningSettingError) {
        let parts = flag.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed }
        guard parts.count == 2, !parts[1].isEmpty else {
            throw WarningSettingError(
                description: "'\(flag)' suppresses nothing; write rule:name or *:name, where * in a name is anything.")
        }
        let rule = parts[0] == "*" ? nil : try Self.rule(parts[0], rules).id
        let suppression = WarningSuppression(rule: rule, names: NamePattern(parts[1]))
        if !suppressions.contains(suppression) { suppressions.append(suppression) }
    }

    private static func rule(_ id: String, _ rules: [any WarningRule]) throws(WarningSettingError) -> any WarningRule {
        if let rule = rules.first(where: { $0.id == id }) { return rule }
        throw WarningSettingError(description: "There is no rule '\(id)'; the rules are \(rules.map(\.id).joined(separator: ", ")).")
    }
}

extension WarningThreshold.Unit {
    var advice: String {
        switch self {
        case .nanoseconds: "write a duration such as 50ms, 1.5s or 200us"
        case .count: "write a whole number such as 500"
        }
    }

    /// The value of a text. A duration must name its unit, because a bare number is ambiguous.
    func value(of text: String) -> UInt64? {
        switch self {
        case .count:
            return text.allSatisfy { $0.isASCII && $0.isNumber } ? UInt64(text) : nil
        case .nanoseconds:
            return DurationText.nanoseconds(text)
        }
    }
}

extension Substring {
    /// The text without blanks at either end.
    fileprivate var trimmed: String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
