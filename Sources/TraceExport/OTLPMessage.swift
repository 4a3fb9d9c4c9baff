import TextOutput

/// A message of OpenTelemetry that is being written, in one of the two encodings: JSON, or protocol buffers. Each field has its number and
/// its name in opentelemetry-proto, so that what is written once is the same in both.
protocol OTLPMessage {
    mutating func string(_ field: UInt64, _ key: StaticString, _ value: String)
    mutating func bool(_ field: UInt64, _ key: StaticString, _ value: Bool)
    mutating func number(_ field: UInt64, _ key: StaticString, _ value: UInt64)
    /// A number of 64 bits, which JSON has as text.
    mutating func integer(_ field: UInt64, _ key: StaticString, _ value: UInt64)
    /// A number that has eight bytes in protocol buffers, and is text in JSON.
    mutating func fixed64(_ field: UInt64, _ key: StaticString, _ value: UInt64)
    mutating func identifier(_ field: UInt64, _ key: StaticString, _ value: OTLPIdentifier)
    mutating func message(_ field: UInt64, _ key: StaticString, _ write: (inout Self) -> Void)
    mutating func list<Element>(_ field: UInt64, _ key: StaticString, _ elements: [Element], _ write: (inout Self, Element) -> Void)
}

extension OTLPMessage {
    mutating func attributes(_ field: UInt64, _ attributes: OTLPAttributes) {
        list(field, "attributes", attributes.all) { pair, attribute in
            pair.string(1, "key", attribute.key)
            pair.message(2, "value") { value in
                switch attribute.value {
                case .text(let text): value.string(1, "stringValue", text)
                case .flag(let flag): value.bool(2, "boolValue", flag)
                case .number(let number): value.integer(3, "intValue", number)
                }
            }
        }
    }
}

/// The attributes of a message. A value that does not apply is left out.
struct OTLPAttributes {
    enum Value {
        case text(String)
        case number(UInt64)
        case flag(Bool)
    }

    private(set) var all: [(key: String, value: Value)] = []

    mutating func add(_ key: String, _ text: String?) {
        if let text { all.append((key, .text(text))) }
    }

    mutating func add(_ key: String, _ number: UInt64?) {
        if let number { all.append((key, .number(number))) }
    }

    mutating func add(_ key: String, ifTrue flag: Bool) {
        if flag { all.append((key, .flag(true))) }
    }
}

extension JSONLine: OTLPMessage {
    mutating func string(_: UInt64, _ key: StaticString, _ value: String) { field(key, value) }
    mutating func bool(_: UInt64, _ key: StaticString, _ value: Bool) { field(key, value) }
    mutating func number(_: UInt64, _ key: StaticString, _ value: UInt64) { field(key, value) }
    mutating func integer(_: UInt64, _ key: StaticString, _ value: UInt64) { field(key, String(value)) }
    mutating func fixed64(_: UInt64, _ key: StaticString, _ value: UInt64) { field(key, String(value)) }
    mutating func identifier(_: UInt64, _ key: StaticString, _ value: OTLPIdentifier) { field(key, value.text) }
    mutating func message(_: UInt64, _ key: StaticString, _ write: (inout JSONLine) -> Void) { object(key, write) }

    mutating func list<Element>(_: UInt64, _ key: StaticString, _ elements: [Element], _ write: (inout JSONLine, Element) -> Void) {
        array(key) { line in
            for element in elements { line.object { write(&$0, element) } }
        }
    }
}
