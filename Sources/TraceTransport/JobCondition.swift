import TaskEvents

/// The condition on which a run stops at a job. It uses the facts that a program knows about a job before it begins: its task's name,
/// executor, site, number and chain.
///
/// A job must meet all terms; case does not matter. It is the part of a query that a program can evaluate without a trace. Immutable, so
/// any thread may use it.
package struct JobCondition: Hashable, Sendable {
    package enum Subject: UInt8, CaseIterable, Sendable {
        /// The task's name or the executor's name.
        case any = 1
        case name, executor, site, task, chain
    }

    package struct Term: Hashable, Sendable {
        package var subject: Subject
        package var isNegated: Bool
        /// Whether a value may match a part of the text. Otherwise a value is a pattern for the whole text, with `*` and `?`.
        package var isPart: Bool
        /// The alternatives, of which one must match. In lower case; numbers in decimal.
        package var values: [String]

        package init(_ subject: Subject, isNegated: Bool = false, isPart: Bool = false, _ values: [String]) {
            self.subject = subject
            self.isNegated = isNegated
            self.isPart = isPart
            self.values = values
        }
    }

    package let terms: [Term]

    package init(_ terms: [Term]) {
        self.terms = terms
    }

    /// Whether a job of that task meets the condition. A closure that belongs to no task has no label.
    package func matches(_ task: TaskID, chain: TaskID, executor: String, label: Label?) -> Bool {
        terms.allSatisfy { term in
            let texts: [String] =
                switch term.subject {
                case .any: [label?.name ?? "", executor]
                case .name: [label?.name ?? ""]
                case .executor: [executor]
                case .site: [label?.site ?? ""]
                case .task: [String(task.rawValue)]
                case .chain: [String(chain.rawValue)]
                }
            return texts.contains { Self.matches($0.lowercased(), term) } != term.isNegated
        }
    }

    private static func matches(_ text: String, _ term: Term) -> Bool {
        term.values.contains { value in
            term.isPart ? text.contains(value) : NamePattern(value).matches(text)
        }
    }
}

extension JobCondition {
    private static let termEnd: Character = "\u{1E}"
    private static let partEnd: Character = "\u{1F}"

    /// The condition as a text for a control message: one term after the other, each with its subject, its signs and its values.
    var code: String {
        terms.map { term in
            let signs = (term.isNegated ? "-" : "+") + (term.isPart ? "~" : ":")
            let values = term.values.map { $0.filter { $0 != Self.termEnd && $0 != Self.partEnd } }
            return (["\(term.subject.rawValue)", signs] + values).joined(separator: String(Self.partEnd))
        }.joined(separator: String(Self.termEnd))
    }

    /// Nil if `code` is not a condition.
    init?(code: String) {
        var terms: [Term] = []
        for term in code.split(separator: Self.termEnd) {
            let parts = term.split(separator: Self.partEnd, omittingEmptySubsequences: false)
            guard parts.count > 2, let number = UInt8(parts[0]), let subject = Subject(rawValue: number) else { return nil }
            guard ["+:", "+~", "-:", "-~"].contains(parts[1]) else { return nil }
            terms.append(
                Term(subject, isNegated: parts[1].first == "-", isPart: parts[1].last == "~", parts.dropFirst(2).map(String.init)))
        }
        guard !terms.isEmpty else { return nil }
        self.init(terms)
    }
}
