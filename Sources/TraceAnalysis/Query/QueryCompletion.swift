import TaskEvents
import TraceStore

/// A completion of the query that the user is typing.
package struct QueryCompletion: Hashable, Sendable {
    /// The range that it replaces, in characters from 0.
    package var range: Range<Int>
    package var text: String
    /// The meaning of the completion.
    package var summary: String

    /// The query with the completion inserted, and the cursor position after it.
    package func applied(to text: String) -> (text: String, cursor: Int) {
        let characters = Array(text)
        let whole = String(characters[..<range.lowerBound]) + self.text + String(characters[range.upperBound...])
        return (whole, range.lowerBound + self.text.count)
    }
}

extension TaskQuery {
    /// Completions for the word that ends at the cursor, the likelier first: fields, or values that occur in this trace. At most `limit`.
    package static func completions(of text: String, at cursor: Int? = nil, in store: TraceStore, limit: Int = 12) -> [QueryCompletion] {
        let typed = text.prefix(cursor ?? text.count)
        // A word with an open quote is not complete.
        guard let words = try? QueryWord.words(of: String(typed)) else { return [] }
        guard let word = words.last, word.range.upperBound == typed.count else { return fields("", at: typed.count..<typed.count, limit) }
        guard let name = word.field, let sign = word.sign else { return fields(word.value, at: word.valueRange, limit) }
        guard let field = QueryField(rawValue: name) else {
            return fields(name, at: word.fieldRange.lowerBound..<word.range.upperBound, limit)
        }
        return values(of: field, sign, word, in: store, limit)
    }

    private static func fields(_ start: String, at range: Range<Int>, _ limit: Int) -> [QueryCompletion] {
        QueryField.allCases.lazy.filter { $0.rawValue.hasPrefix(start.lowercased()) }.prefix(limit).map { field in
            let sign: QuerySign =
                switch field.value {
                case .words: .has
                case .text: field == .on ? .has : .contains
                case .number: field == .id || field == .chain ? .has : .more
                case .duration: .more
                }
            return QueryCompletion(range: range, text: field.rawValue + sign.rawValue, summary: field.summary)
        }
    }

    private static func values(
        of field: QueryField, _ sign: QuerySign, _ word: QueryWord, in store: TraceStore, _ limit: Int
    ) -> [QueryCompletion] {
        let start = word.values.last ?? ""
        let range = word.range.upperBound - start.count..<word.range.upperBound
        let known: [String]
        switch field.value {
        case .words(let words): known = words
        case .text where field == .on: known = store.executors.map(\.name)
        case .text where field == .name: known = names(in: store)
        case .duration: known = ["1ms", "10ms", "100ms", "1s"]
        case .text, .number: known = []
        }
        return known.lazy.filter { $0.lowercased().hasPrefix(start.lowercased()) && $0 != start }.prefix(limit).map { value in
            let isPlain = value.allSatisfy { !$0.isWhitespace && $0 != "\"" && $0 != "," }
            return QueryCompletion(range: range, text: isPlain ? value : "\"\(value.filter { $0 != "\"" })\"", summary: "")
        }
    }

    /// Names of the latest tasks, without duplicates.
    private static func names(in store: TraceStore) -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for entry in (0..<store.entries.count).reversed().prefix(20_000) {
            guard let name = store.entries.label(.init(rawValue: UInt32(entry)))?.name, seen.insert(name).inserted else { continue }
            names.append(PrintableText.text(name))
        }
        return names.sorted()
    }
}
