/// What a list of tasks is narrowed to: `state:faulted on:main name~save total>10ms`.
///
/// Words stand side by side; a task must fit all of them. Each is a field with a sign and a value, or free text, which is looked for in a
/// task's name, state, executor and error. A `-` before a word turns it round; quotes keep blanks together; commas in a value mean "or".
/// Case makes no difference. Immutable; any thread may have it.
package struct TaskQuery: Hashable, Sendable {
    /// As it was typed.
    package let text: String
    let terms: [QueryTerm]

    /// The query of all tasks.
    package init() {
        text = ""
        terms = []
    }

    package init(_ text: String) throws(QueryError) {
        self.text = text
        var terms: [QueryTerm] = []
        for word in try QueryWord.words(of: text) { terms.append(try QueryTerm(word)) }
        self.terms = terms
    }

    /// Whether every task fits.
    package var isEmpty: Bool { terms.isEmpty }
}

/// One word of a query.
struct QueryTerm: Hashable, Sendable {
    enum Condition: Hashable, Sendable {
        /// In a name, state, executor or error, in lower case.
        case free(String)
        case state(Set<QueryState>)
        case kind(UInt16)
        /// Any of the texts, by the field and in lower case.
        case text(QueryField, QuerySign, [String])
        case number(QueryField, QuerySign, [UInt64])
        /// Nil for any of them.
        case warning(rules: Set<String>?, isNone: Bool)
    }

    var condition: Condition
    var isNegated: Bool
}

/// A task's state as a query asks for it.
enum QueryState: String, CaseIterable, Sendable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled, live, ended, skipped
}
