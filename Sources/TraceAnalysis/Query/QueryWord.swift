/// A word of a query with its place: the part before the value, and the value without its quotes.
struct QueryWord: Hashable {
    var isNegated = false
    var field: String?
    var fieldRange = 0..<0
    var sign: QuerySign?
    var value = ""
    /// The values between commas outside of quotes.
    var values: [String] = []
    var valueRange = 0..<0
    /// The range of the whole word, including its `-`.
    var range = 0..<0

    /// The words of a text.
    static func words(of text: String) throws(QueryError) -> [QueryWord] {
        var reader = QueryReader(text)
        var words: [QueryWord] = []
        while let word = try reader.next() { words.append(word) }
        return words
    }
}

/// Reads a query's text character by character.
struct QueryReader {
    private let characters: [Character]
    private var position = 0

    init(_ text: String) {
        characters = Array(text)
    }

    mutating func next() throws(QueryError) -> QueryWord? {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
        guard position < characters.count else { return nil }
        var word = QueryWord()
        let start = position
        if "-!".contains(characters[position]), position + 1 < characters.count, !characters[position + 1].isWhitespace {
            word.isNegated = true
            position += 1
        }
        readField(into: &word)
        try readValue(into: &word)
        word.range = start..<position
        return word
    }

    /// A field is a run of letters followed by a sign. Anything else is the beginning of a value.
    private mutating func readField(into word: inout QueryWord) {
        let start = position
        var end = position
        while end < characters.count, characters[end].isLetter { end += 1 }
        guard end > start, let sign = sign(at: end) else { return }
        word.field = String(characters[start..<end]).lowercased()
        word.fieldRange = start..<end
        word.sign = sign
        position = end + sign.rawValue.count
    }

    private func sign(at range: Int) -> QuerySign? {
        let rest = characters[range...].prefix(2)
        return QuerySign.allCases.first { rest.starts(with: $0.rawValue) }
    }

    private mutating func readValue(into word: inout QueryWord) throws(QueryError) {
        let start = position
        var values = [""]
        while position < characters.count, !characters[position].isWhitespace {
            let character = characters[position]
            if character == "\"" {
                values[values.count - 1] += try quoted()
            } else if character == ",", word.field != nil {
                values.append("")
                position += 1
            } else {
                values[values.count - 1].append(character)
                position += 1
            }
        }
        word.valueRange = start..<position
        word.values = values
        word.value = values.joined(separator: ",")
    }

    private mutating func quoted() throws(QueryError) -> String {
        let start = position
        position += 1
        var text = ""
        while position < characters.count, characters[position] != "\"" {
            text.append(characters[position])
            position += 1
        }
        guard position < characters.count else {
            throw QueryError(range: start..<characters.count, description: "This quote has no end; write another \" after the text.")
        }
        position += 1
        return text
    }
}

/// A mistake in a query.
package struct QueryError: Error, Hashable, CustomStringConvertible {
    package let range: Range<Int>
    /// A whole sentence that states the correct form.
    package let description: String
}

/// A task's state as a query spells it.
enum QueryState: String, CaseIterable, Sendable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled, live, ended, skipped
}
