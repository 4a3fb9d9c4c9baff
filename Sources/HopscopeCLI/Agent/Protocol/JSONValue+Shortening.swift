import TraceAnalysis

extension JSONValue {
    /// How much of a value an answer has room for.
    struct Room {
        /// The largest number of bytes of a string.
        let string: Int
        /// The largest number of elements of a list inside a row.
        let elements: Int
    }

    /// The value without null fields, with long strings and lists cut. What was cut says so itself.
    func shortened(to room: Room) -> JSONValue {
        switch self {
        case .null, .bool, .integer, .number, .omitted: return self
        case .string(let text): return .string(text.shortened(toBytes: room.string))
        case .array(let elements):
            guard elements.count > room.elements else { return .array(elements.map { $0.shortened(to: room) }) }
            // The ends of a path or a stack say the most.
            let (head, tail) = ((room.elements + 1) / 2, room.elements / 2)
            let left = elements.dropFirst(head).dropLast(tail).reduce(0) { $0 + $1.omittedCount }
            let shown = (elements.prefix(head) + [.omitted(left)] + elements.suffix(tail))
            return .array(shown.map { $0.shortened(to: room) })
        case .object(let fields):
            return .object(
                fields.compactMap { field in
                    field.value == .null ? nil : Field(key: field.key, value: field.value.shortened(to: room))
                })
        }
    }
}

extension JSONValue {
    fileprivate var omittedCount: Int { if case .omitted(let count) = self { count } else { 1 } }
}

extension String {
    /// The beginning of a text that has more bytes than `limit`, and how many it has.
    fileprivate func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var beginning = String.UnicodeScalarView()
        var size = 0
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            beginning.append(scalar)
        }
        return "\(String(beginning))… (\(CountText.text(utf8.count)) bytes in all)"
    }
}
