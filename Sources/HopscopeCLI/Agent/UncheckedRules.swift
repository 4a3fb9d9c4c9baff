import TraceAnalysis

extension [RuleCheck] {
    /// What an answer says of the rules that could not be checked: those of one reason together, as `rule, rule: reason`.
    ///
    /// - Parameter rule: the only rule of interest; nil for all.
    func remarks(only rule: String? = nil) -> [JSONValue.Field] {
        UncheckedRules.remarks(compactMap { check in check.why.map { (check.rule, $0) } }.filter { rule == nil || $0.rule == rule })
    }
}

enum UncheckedRules {
    static func remarks(_ checks: [(rule: String, why: String)]) -> [JSONValue.Field] {
        var reasons: [(why: String, rules: [String])] = []
        for (rule, why) in checks {
            if let index = reasons.firstIndex(where: { $0.why == why }) {
                reasons[index].rules.append(rule)
            } else {
                reasons.append((why, [rule]))
            }
        }
        guard !reasons.isEmpty else { return [] }
        let texts = reasons.map { JSONValue.string("\($0.rules.joined(separator: ", ")): \($0.why)") }
        return [.init(key: "not_checked", value: .array(texts))]
    }
}
