/// A protocol-buffers message, parsed without its definition.
struct ParsedProtobuf {
    private enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    struct Malformed: Error {}

    private var fields: [(field: UInt64, value: Value)] = []

    init(_ bytes: [UInt8]) throws {
        try self.init(bytes[...])
    }

    private init(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            let key = try Self.number(&rest)
            switch key & 7 {
            case 0: fields.append((key >> 3, .number(try Self.number(&rest))))
            case 1:
                guard rest.count >= 8 else { throw Malformed() }
                fields.append((key >> 3, .number(rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })))
                rest = rest.dropFirst(8)
            case 2:
                let size = try Self.number(&rest)
                guard size <= UInt64(rest.count) else { throw Malformed() }
                fields.append((key >> 3, .bytes(rest.prefix(Int(size)))))
                rest = rest.dropFirst(Int(size))
            default: throw Malformed()
            }
        }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst(), shift < 64 {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Malformed()
    }

    func number(_ field: UInt64) -> UInt64? {
        for case (field, .number(let number)) in fields { return number }
        return nil
    }

    func numbers(_ field: UInt64) -> [UInt64] {
        fields.compactMap { element in
            guard element.field == field, case .number(let number) = element.value else { return nil }
            return number
        }
    }

    func strings(_ field: UInt64) -> [String] {
        fields.compactMap { element in
            guard element.field == field, case .bytes(let bytes) = element.value else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    func bytes(_ field: UInt64) -> [UInt8]? {
        for case (field, .bytes(let bytes)) in fields { return Array(bytes) }
        return nil
    }

    func text(_ field: UInt64) -> String? {
        bytes(field).map { String(decoding: $0, as: UTF8.self) }
    }

    func messages(_ field: UInt64) throws -> [ParsedProtobuf] {
        try fields.compactMap { element in
            guard element.field == field, case .bytes(let bytes) = element.value else { return nil }
            return try ParsedProtobuf(bytes)
        }
    }

    /// The pairs of a list of OpenTelemetry's attributes, with each value as text.
    func attributes(_ field: UInt64) throws -> [String: String] {
        var attributes: [String: String] = [:]
        for pair in try messages(field) {
            let value = try pair.messages(2).first
            let flag = value?.number(2).map { $0 == 0 ? "false" : "true" }
            attributes[pair.text(1) ?? ""] = value?.text(1) ?? flag ?? value?.number(3).map(String.init)
        }
        return attributes
    }
}
