/// The findings that make a check fail, as given with `--fail-on`.
package enum FailOn: Hashable, Sendable {
    case none
    case all
    case rules(Set<String>)

    /// Reads `none`, `all`, or names of rules in `known`. No word means `all`. Throws for an unknown rule, because a check with a misspelt
    /// rule could never fail.
    package init(_ words: [String], known: [String]) throws(UnknownRule) {
        switch words {
        case [], ["all"]: self = .all
        case ["none"]: self = .none
        case _:
            for word in words where !known.contains(word) { throw UnknownRule(word: word, known: known) }
            self = .rules(Set(words))
        }
    }

    package func includes(_ rule: String) -> Bool {
        switch self {
        case .none: false
        case .all: true
        case .rules(let rules): rules.contains(rule)
        }
    }
}

/// An unknown rule after `--fail-on` or `--require`.
package struct UnknownRule: Error, Hashable, CustomStringConvertible {
    package var word: String
    package var known: [String]

    package var description: String {
        if word == "all" || word == "none" { return "'\(word)' cannot be combined with rules: give it alone, or name rules." }
        return "There is no rule '\(word)'. The rules are \(known.joined(separator: ", ")); or say 'all' or 'none'."
    }
}
