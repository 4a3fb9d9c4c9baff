import TaskEvents
import TraceStore

extension QueryTerm {
    /// The condition that a word expresses.
    init(_ word: QueryWord) throws(QueryError) {
        isNegated = word.isNegated
        guard let name = word.field, let sign = word.sign else {
            condition = .free(word.value.lowercased())
            return
        }
        guard let field = QueryField(rawValue: name) else {
            let fields = QueryField.allCases.map(\.rawValue).joined(separator: ", ")
            throw QueryError(
                range: word.fieldRange,
                description: "There is no field '\(name)'; the fields are \(fields). To look for the text itself, put it in quotes.")
        }
        guard field.signs.contains(sign) else {
            let signs = field.signs.map { "\(name)\($0.rawValue)" }.joined(separator: ", ")
            throw QueryError(range: word.range, description: "'\(name)\(sign.rawValue)' asks for nothing; write \(signs).")
        }
        guard !word.values.contains("") else {
            throw QueryError(range: word.range, description: "'\(name)\(sign.rawValue)' wants a value: \(field.example).")
        }
        condition = try Self.condition(field, sign, word)
    }

    private static func condition(_ field: QueryField, _ sign: QuerySign, _ word: QueryWord) throws(QueryError) -> Condition {
        switch field.value {
        case .words(let known): return try words(field, known, word)
        case .text: return .text(field, sign, word.values.map { $0.lowercased() })
        case .number:
            return .number(
                field, sign,
                try numbers(word) { text in
                    UInt64(text)
                } advice: {
                    "a whole number: \(field.example)"
                })
        case .duration:
            return .number(field, sign, try numbers(word, DurationText.nanoseconds) { "a duration with its unit: \(field.example)" })
        }
    }

    private static func words(_ field: QueryField, _ known: [String], _ word: QueryWord) throws(QueryError) -> Condition {
        var values: [String] = []
        for value in word.values.map({ $0.lowercased() }) {
            let meant = QueryWord.known(known, startingWith: value)
            guard !meant.isEmpty else {
                throw QueryError(
                    range: word.valueRange, description: "'\(value)' is no \(field.rawValue); there are \(known.joined(separator: ", ")).")
            }
            values += meant
        }
        if field == .state { return .state(Set(values.compactMap(QueryState.init))) }
        if field == .kind {
            let kinds = TaskKind.allCases.filter { values.contains($0.name) }
            return .kind(kinds.reduce(0) { $0 | 1 << UInt16($1.rawValue) })
        }
        if values.contains("none") {
            guard values.count == 1 else {
                throw QueryError(
                    range: word.valueRange, description: "'none' cannot be combined with rules: write warn:none, or name rules.")
            }
            return .warning(rules: nil, isNone: true)
        }
        return .warning(rules: values.contains("any") ? nil : Set(values), isNone: false)
    }

    private static func numbers(
        _ word: QueryWord, _ number: (String) -> UInt64?, advice: () -> String
    ) throws(QueryError) -> [UInt64] {
        var numbers: [UInt64] = []
        for value in word.values {
            guard let number = number(value) else {
                throw QueryError(range: word.valueRange, description: "'\(value)' is not \(advice()).")
            }
            numbers.append(number)
        }
        return numbers
    }
}
