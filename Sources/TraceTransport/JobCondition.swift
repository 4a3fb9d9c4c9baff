import TaskEvents

/// Which job a run is to stop at: what a program knows of a job before it begins, its task's name, executor, site, number and chain.
///
/// All terms must fit. It is what is left of a query where no trace can be asked; case makes no difference. Immutable; any thread may have
/// it.
package struct JobCondition: Hashable, Sendable {
    package enum Subject: UInt8, CaseIterable, Sendable {
        /// The name or the executor's.
        case any = 1
        case name, executor, site, task, chain
    }

    package struct Term: Hashable, Sendable {
        package var subject: Subject
        package var isNegated: Bool
        /// Whether a value may be a part of the text; else it is the whole, with `*` and `?`.
        package var isPart: Bool
        /// One of them must fit; in lower case, numbers in decimal.
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

    /// Whether a job of that task fits. A closure has no task and no label.
    package func fits(_ task: TaskID, chain: TaskID, executor: String, label: Label?) -> Bool {
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
            return texts.contains { Self.fits($0.lowercased(), term) } != term.isNegated
        }
    }

    private static func fits(_ text: String, _ term: Term) -> Bool {
        term.values.contains { value in
            term.isPart ? text.contains(value) : NamePattern(value).matches(text)
        }
    }
}

extension JobCondition {
    private static let termEnd: Character = "\u{1E}"
    private static let partEnd: Character = "\u{1F}"

    /// As a control message has it: a term after the other, each with its subject, its signs and its values.
    var code: String {
        terms.map { term in
            let signs = (term.isNegated ? "-" : "+") + (term.isPart ? "~" : ":")
            let values = term.values.map { $0.filter { $0 != Self.termEnd && $0 != Self.partEnd } }
            return (["\(term.subject.rawValue)", signs] + values).joined(separator: String(Self.partEnd))
        }.joined(separator: String(Self.termEnd))
    }

    /// Nil for what is no such code.
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
