/// A protocol-buffers message that is being written: its fields, in the order of the calls. Fields that hold a default are written too.
struct ProtobufMessage {
    private(set) var bytes: [UInt8] = []

    private enum Wire: UInt64 {
        case number = 0
        case fixed64 = 1
        case bytes = 2
    }

    mutating func number(_ field: UInt64, _ value: UInt64) {
        key(field, .number)
        append(value)
    }

    mutating func bool(_ field: UInt64, _ value: Bool) {
        number(field, value ? 1 : 0)
    }

    mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        key(field, .fixed64)
        append(fixed: value)
    }

    mutating func double(_ field: UInt64, _ value: Double) {
        fixed64(field, value.bitPattern)
    }

    mutating func string(_ field: UInt64, _ value: String) {
        bytes(field, Array(value.utf8))
    }

    mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
        key(field, .bytes)
        append(UInt64(value.count))
        bytes += value
    }

    mutating func message(_ field: UInt64, _ write: (inout ProtobufMessage) -> Void) {
        var message = ProtobufMessage()
        write(&message)
        bytes(field, message.bytes)
    }

    /// Appends the fields of another message.
    mutating func append(_ other: ProtobufMessage) {
        bytes += other.bytes
    }

    /// A packed list of 64-bit numbers.
    mutating func fixed64(_ field: UInt64, _ values: [UInt64]) {
        key(field, .bytes)
        append(UInt64(values.count * 8))
        for value in values { append(fixed: value) }
    }

    private mutating func key(_ field: UInt64, _ wire: Wire) {
        append(field << 3 | wire.rawValue)
    }

    private mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func append(fixed value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension ProtobufMessage: OTLPMessage {
    mutating func string(_ field: UInt64, _: StaticString, _ value: String) { string(field, value) }
    mutating func bool(_ field: UInt64, _: StaticString, _ value: Bool) { bool(field, value) }
    mutating func number(_ field: UInt64, _: StaticString, _ value: UInt64) { number(field, value) }
    mutating func integer(_ field: UInt64, _: StaticString, _ value: UInt64) { number(field, value) }
    mutating func fixed64(_ field: UInt64, _: StaticString, _ value: UInt64) { fixed64(field, value) }
    mutating func identifier(_ field: UInt64, _: StaticString, _ value: OTLPIdentifier) { bytes(field, value.bytes) }
    mutating func message(_ field: UInt64, _: StaticString, _ write: (inout ProtobufMessage) -> Void) { message(field, write) }

    mutating func list<Element>(
        _ field: UInt64, _: StaticString, _ elements: [Element], _ write: (inout ProtobufMessage, Element) -> Void
    ) {
        for element in elements { message(field) { write(&$0, element) } }
    }
}
