/// The last word of a query while the user types it.
extension QueryWord {
    /// The word with all values that it can become. Nil for a word that restricts nothing yet.
    var broadened: QueryWord? {
        guard let name = field, let sign else {
            // The name of a state is a word of its own, although a field may have it too.
            let isFieldsStart = QueryField.allCases.contains { $0.rawValue.hasPrefix(value.lowercased()) }
            return isNegated || isFieldsStart && QueryState(rawValue: value.lowercased()) == nil ? nil : self
        }
        guard let field = QueryField(rawValue: name), field.signs.contains(sign), let last = values.last else { return self }
        var word = self
        word.values.removeLast()
        word.values += Self.values(of: field, sign, startingWith: last)
        return word.values.isEmpty ? nil : word
    }

    /// The known words that a value means: itself, or all that begin with it, so that a filter means the same while it is typed and after.
    static func known(_ known: [String], startingWith start: String) -> [String] {
        if known.contains(start) { return [start] }
        let fitting = known.filter { $0.hasPrefix(start) }
        // The word `none` stands alone.
        return fitting.count > 1 ? fitting.filter { $0 != "none" } : fitting
    }

    private static func values(of field: QueryField, _ sign: QuerySign, startingWith start: String) -> [String] {
        guard !start.isEmpty else { return [] }
        switch field.value {
        case .words(let known):
            // An unknown value stays, so that the query reports it.
            let fitting = Self.known(known, startingWith: start.lowercased())
            return fitting.isEmpty ? [start] : fitting
        case .text: return [sign == .has && !start.hasSuffix("*") ? start + "*" : start]
        case .number: return [start]
        case .duration:
            // The last value may be a number without its unit. Minutes can also become milliseconds.
            let isUnfinished = start.allSatisfy { $0.isNumber || $0 == "." || $0 == "m" || $0 == "u" || $0 == "n" || $0 == "µ" }
            return isUnfinished ? [] : [start]
        }
    }
}
