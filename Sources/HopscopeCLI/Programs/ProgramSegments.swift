import Foundation

/// The segments of a machine-code file, as its program headers list them.
///
/// Reads 64-bit little-endian ELF files, the only ones that Swift makes for Linux. Any bytes may be given; a damaged file has fewer
/// segments or none.
struct ProgramSegments {
    struct Segment {
        let offset: UInt64
        let address: UInt64
        let size: UInt64
    }

    enum Kind: UInt32 {
        case loaded = 1
        case dynamic = 2
        case notes = 4
    }

    private let file: Data

    init(of file: Data) {
        self.file = file
    }

    /// A number at an offset in the file. Nil if the file ends before.
    func word<Word: FixedWidthInteger>(_ type: Word.Type, at offset: UInt64) -> UInt64? {
        guard offset <= UInt64(file.count), UInt64(file.count) - offset >= UInt64(MemoryLayout<Word>.size) else { return nil }
        let value = file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Int(offset), as: Word.self) }
        return UInt64(Word(littleEndian: value))
    }

    func all(_ kind: Kind) -> [Segment] {
        guard file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let first = word(UInt64.self, at: 32),
            let size = word(UInt16.self, at: 54), let count = word(UInt16.self, at: 56)
        else { return [] }
        return (0..<count).compactMap { number in
            let position = first &+ number * size
            guard word(UInt32.self, at: position) == UInt64(kind.rawValue), let offset = word(UInt64.self, at: position &+ 8),
                let address = word(UInt64.self, at: position &+ 16), let size = word(UInt64.self, at: position &+ 32)
            else { return nil }
            return Segment(offset: offset, address: address, size: size)
        }
    }

    /// The file's bytes of a segment, as far as the file has them.
    func bytes(of segment: Segment) -> Data {
        guard segment.offset < UInt64(file.count) else { return Data() }
        let size = min(segment.size, UInt64(file.count) - segment.offset)
        let start = file.startIndex + Int(segment.offset)
        return file[start..<start + Int(size)]
    }
}
