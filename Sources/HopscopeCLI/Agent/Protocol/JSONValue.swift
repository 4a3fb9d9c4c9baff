import Foundation
import TextOutput
import TraceAnalysis

/// A JSON value: a message of an agent, or an answer to it. Fields of an answer keep their order; those of a message are sorted by key.
enum JSONValue: Hashable, Sendable {
    struct Field: Hashable, Sendable {
        let key: String
        let value: JSONValue
    }

    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Field])
    /// Stands in a list for so many elements that were left out.
    case omitted(Int)

    struct Malformed: Error {}

    /// Throws for bytes that are not one JSON value in UTF-8. Foundation's limit of 512 levels bounds the depth.
    init(parsing bytes: some Collection<UInt8>) throws {
        // A byte of zero, which no JSON has, could make Foundation guess another encoding.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else { throw Malformed() }
        self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    /// The value of a field of an object. Nil for another value, and without such a field.
    subscript(key: String) -> JSONValue? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.key == key }?.value
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension JSONValue: Decodable {
    private struct FieldName: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: FieldName.self) {
            let keys = object.allKeys.sorted { $0.stringValue < $1.stringValue }
            self = .object(try keys.map { Field(key: $0.stringValue, value: try object.decode(JSONValue.self, forKey: $0)) })
            return
        }
        if var list = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !list.isAtEnd { elements.append(try list.decode(JSONValue.self)) }
            self = .array(elements)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else {
            self = .number(try value.decode(Double.self))
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    typealias Key = String
    typealias Value = JSONValue

    init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements.map { Field(key: $0.0, value: $0.1) }) }

    /// Null for nil.
    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
    init(_ number: UInt64?) { self = number.map { .integer(Int(clamping: $0)) } ?? .null }

    /// An object with the fields that an encoder of the project's rows writes.
    init(row write: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.object(write)
        self.init(encoded: line.text)
    }

    /// The first and the last elements of a list, and the number of those between them.
    static func ends<Element>(of elements: [Element], _ value: (Element) -> JSONValue) -> JSONValue {
        let left = elements.count - 2 * mostAtEnd
        guard left > 0 else { return .array(elements.map(value)) }
        return .array(elements.prefix(mostAtEnd).map(value) + [.omitted(left)] + elements.suffix(mostAtEnd).map(value))
    }

    private static let mostAtEnd = 4

    /// A text that the project's own writer has made.
    init(encoded text: String) {
        do {
            try self.init(parsing: Array(text.utf8))
        } catch {
            preconditionFailure("The project's own JSON is malformed: \(text.prefix(200))")
        }
    }
}

extension JSONValue {
    /// The value as JSON without blanks and line breaks.
    var encoded: String {
        var text = ""
        encode(to: &text)
        return text
    }

    private func encode(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .integer(let integer): text += String(integer)
        case .number(let number): text += number.isFinite ? String(number) : "null"
        case .string(let string): text += Self.quoted(string)
        case .omitted(let count): text += Self.quoted("… \(CountText.text(count)) left out …")
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.encode(to: &text)
            }
            text += "]"
        case .object(let fields):
            text += "{"
            for (index, field) in fields.enumerated() {
                if index > 0 { text += "," }
                text += Self.quoted(field.key) + ":"
                field.value.encode(to: &text)
            }
            text += "}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var line = JSONLine()
        line.string(string)
        return line.text
    }
}
