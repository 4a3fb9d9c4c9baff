import TaskEvents

/// The filter of a list of events: `event:faulted state:faulted on:main save`.
///
/// The field `event` names kinds of events, and so does a free word that is a kind's name. All other words are those of a ``TaskQuery``: an
/// event matches if its task matches.
package struct EventQuery: Hashable, Sendable {
    /// The kinds of matching events.
    package private(set) var kinds = EventKinds.all
    /// The query that an event's task matches.
    package private(set) var tasks = TaskQuery()

    /// The query that every event matches.
    package init() {}

    /// - Parameter isTyping: whether the last word may be unfinished.
    package init(_ text: String, isTyping: Bool = false) throws(QueryError) {
        var others: [Substring] = []
        let characters = Array(text)
        for word in try QueryWord.words(of: text) {
            let isUnfinished = isTyping && word.range.upperBound == characters.count
            guard let named = try Self.kinds(of: word, isUnfinished: isUnfinished) else {
                others.append(Substring(String(characters[word.range])))
                continue
            }
            guard named != .all else { continue }
            kinds.formIntersection(word.isNegated ? EventKinds(rawValue: ~named.rawValue) : named)
        }
        tasks = try TaskQuery(others.joined(separator: " "), isTyping: isTyping)
    }

    package var isEmpty: Bool { kinds == .all && tasks.isEmpty }

    /// The kinds that a word names. Nil for a word about tasks.
    private static func kinds(of word: QueryWord, isUnfinished: Bool) throws(QueryError) -> EventKinds? {
        guard let field = word.field else {
            // The beginning of the field, or of a kind's name, says nothing yet.
            if isUnfinished, "event".hasPrefix(word.value.lowercased()) { return .all }
            let named = kinds(named: word.value, isUnfinished: false)
            return named.isEmpty ? nil : named
        }
        guard field == "event" else { return nil }
        var all: EventKinds = []
        for value in word.values {
            // As in a ``TaskQuery``, a beginning means all that it can become, also after it was typed.
            let exact = kinds(named: value, isUnfinished: isUnfinished)
            let named = exact.isEmpty ? kinds(named: value, isUnfinished: true) : exact
            guard !named.isEmpty else {
                let names = EventKind.allCases.map { EventDescription[$0].name }.joined(separator: ", ")
                throw QueryError(range: word.valueRange, description: "'\(value)' is no event; there are \(names).")
            }
            all.formUnion(named)
        }
        return all
    }

    private static func kinds(named value: String, isUnfinished: Bool) -> EventKinds {
        let value = value.lowercased()
        return EventKind.allCases.reduce(into: []) { kinds, kind in
            let names = [EventDescription[kind].name.lowercased(), EventDescription[kind].word]
            if names.contains(where: { isUnfinished ? $0.hasPrefix(value) : $0 == value }) { kinds.insert(EventKinds(kind)) }
        }
    }
}
