/// A setting that cannot be understood, in a sentence that says what can.
package struct WarningSettingError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

/// The settings as they are typed.
extension WarningSettings {
    /// Takes `rule=threshold`, `rule=off` or `rule=on`: `main-stall=50ms`, `fan-out=500`, `redundant-hop=off`.
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

    /// Takes `rule:name` or `*:name`, where the name may have `*` and `?`: `unobserved-fault:probe*`.
    package mutating func suppress(_ flag: String, rules: [any WarningRule] = WarningRules.all) throws(WarningSettingError) {
        let parts = flag.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed }
        guard parts.count == 2, !parts[1].isEmpty else {
            throw WarningSettingError(
                description: "'\(flag)' suppresses nothing; write rule:name or *:name, where * in a name is anything.")
        }
        let rule = parts[0] == "*" ? nil : try Self.rule(parts[0], rules).id
        let suppression = WarningSuppression(rule: rule, name: NamePattern(parts[1]))
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

    /// The value that a text stands for. A duration names its unit: a number alone would be taken for one or the other.
    func value(of text: String) -> UInt64? {
        switch self {
        case .count:
            return text.allSatisfy { $0.isASCII && $0.isNumber } ? UInt64(text) : nil
        case .nanoseconds:
            let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            let scales: [String: UInt64] = ["ns": 1, "us": 1000, "µs": 1000, "ms": 1_000_000, "s": 1_000_000_000]
            guard let scale = scales[text.dropFirst(number.count).trimmed] else { return nil }
            return Self.nanoseconds(number, scale)
        }
    }

    /// A decimal number times a scale, exact, cut at the nanosecond.
    private static func nanoseconds(_ number: Substring, _ scale: UInt64) -> UInt64? {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = UInt64(parts[0]) else { return nil }
        let (value, isTooMuch) = whole.multipliedReportingOverflow(by: scale)
        guard !isTooMuch else { return nil }
        guard parts.count == 2 else { return value }
        guard !parts[1].isEmpty else { return nil }
        var (fraction, unit) = (0 as UInt64, scale)
        for digit in parts[1].compactMap({ $0.wholeNumberValue }) {
            unit /= 10
            fraction += UInt64(digit) * unit
        }
        let sum = value.addingReportingOverflow(fraction)
        return sum.overflow ? nil : sum.partialValue
    }
}

extension Substring {
    /// Without blanks at either end.
    fileprivate var trimmed: String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
