/// A gzip file whose content is stored without compression (RFC 1951, 3.2.4), for readers that expect one.
enum GzipFile {
    private static let blockLimit = 65_535

    static func bytes(of content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        var start = 0
        repeat {
            let end = min(start + blockLimit, content.count)
            bytes.append(end == content.count ? 1 : 0)
            let size = UInt16(end - start)
            for number in [size, ~size] { bytes += [UInt8(number & 0xFF), UInt8(number >> 8)] }
            bytes += content[start..<end]
            start = end
        } while start < content.count
        for number in [checksum(content), UInt32(truncatingIfNeeded: content.count)] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// CRC-32 as gzip has it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let table = (0..<256 as Range<UInt32>).map { byte in
            (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~bytes.reduce(~0 as UInt32) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
    }
}
