/// A collector's answer to a request that it took: the number of items that it rejected nevertheless, and the reason.
///
/// It is the `partial_success` of an `Export…ServiceResponse`: field 1, with the number in its field 1 and the message in its field 2.
/// Bytes that are not such a message count as an answer without rejections.
package struct ShippedAnswer: Hashable, Sendable {
    package private(set) var rejected = 0
    package private(set) var message = ""

    package init(_ bytes: [UInt8]) {
        guard let partial = Self.fields(of: bytes[...])?.first(where: { $0.field == 1 })?.bytes, let fields = Self.fields(of: partial)
        else {
            return
        }
        for field in fields {
            if field.field == 1 { rejected = Int(clamping: field.number) }
            if field.field == 2 { message = String(decoding: field.bytes, as: UTF8.self) }
        }
    }

    private static func fields(of bytes: ArraySlice<UInt8>) -> [(field: UInt64, number: UInt64, bytes: ArraySlice<UInt8>)]? {
        var rest = bytes
        var fields: [(field: UInt64, number: UInt64, bytes: ArraySlice<UInt8>)] = []
        while !rest.isEmpty {
            guard let key = number(&rest) else { return nil }
            switch key & 7 {
            case 0:
                guard let value = number(&rest) else { return nil }
                fields.append((key >> 3, value, []))
            case 1, 5:
                let size = key & 7 == 1 ? 8 : 4
                guard rest.count >= size else { return nil }
                rest = rest.dropFirst(size)
            case 2:
                guard let size = number(&rest), size <= UInt64(rest.count) else { return nil }
                fields.append((key >> 3, 0, rest.prefix(Int(size))))
                rest = rest.dropFirst(Int(size))
            default:
                return nil
            }
        }
        return fields
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            if shift > 63 { return nil }
        }
        return nil
    }
}
