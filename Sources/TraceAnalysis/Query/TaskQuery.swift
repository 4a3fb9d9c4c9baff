import TaskEvents

/// The filter of a list of tasks: `state:faulted on:main name~save total>10ms`.
///
/// Words are separated by blanks, and a task must match all of them. A word is a field with a sign and a value, or free text. Free text is
/// searched for in a task's name, state, executor and error. A `-` before a word negates it. Quotes keep blanks together. Commas in a value
/// mean "or". The beginning of a state, a kind or a rule means all that begin so. Case does not matter.
/// Immutable, so any thread can use it.
package struct TaskQuery: Hashable, Sendable {
    /// The query as the user typed it.
    package let text: String
    let terms: [QueryTerm]

    /// The query that every task matches.
    package init() {
        text = ""
        terms = []
    }

    /// - Parameter isTyping: whether the last word may be unfinished. It then matches all that it can become, so that the list narrows with
    ///   each letter and is not empty on the way.
    package init(_ text: String, isTyping: Bool = false) throws(QueryError) {
        self.text = text
        var terms: [QueryTerm] = []
        for word in try QueryWord.words(of: text) {
            let isUnfinished = isTyping && word.range.upperBound == text.count
            if let word = isUnfinished ? word.broadened : word { terms.append(try QueryTerm(word)) }
        }
        self.terms = terms
    }

    /// Whether every task matches.
    package var isEmpty: Bool { terms.isEmpty }

    /// Whether blocks are among what the query is about. Only a query that names their kind asks for them.
    package var asksForBlocks: Bool {
        terms.contains { term in
            guard case .kind(let bits) = term.condition, !term.isNegated else { return false }
            return bits & 1 << UInt16(TaskKind.block.rawValue) != 0
        }
    }

    /// Whether the query names a kind of task. Only such a query finds the tasks that a runtime made for itself.
    package var asksForKind: Bool {
        terms.contains { term in
            if case .kind = term.condition { true } else { false }
        }
    }
}

/// One word of a query.
struct QueryTerm: Hashable, Sendable {
    enum Condition: Hashable, Sendable {
        /// A lower-case text that may occur in a name, state, executor or error.
        case free(String)
        case state(Set<QueryState>)
        case kind(UInt16)
        /// Any of the texts, in lower case, compared as the field and the sign say.
        case text(QueryField, QuerySign, [String])
        case number(QueryField, QuerySign, [UInt64])
        /// The rules that found something about the task. Nil for any rule.
        case warning(rules: Set<String>?, isNone: Bool)
    }

    var condition: Condition
    var isNegated: Bool
}
