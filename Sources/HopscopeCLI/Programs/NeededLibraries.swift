import Foundation

/// The shared libraries that a machine-code file asks the loader for, as its dynamic section lists them.
///
/// Reads 64-bit little-endian ELF files, the only ones that Swift makes for Linux. Any bytes may be given; from a damaged file it finds
/// fewer libraries or none.
struct NeededLibraries {
    let names: [String]

    private struct Segment {
        var offset: UInt64
        var address: UInt64
        var size: UInt64
    }

    private enum SegmentType {
        static let loaded: UInt32 = 1
        static let dynamic: UInt32 = 2
    }

    private enum Tag {
        static let end: UInt64 = 0
        static let needed: UInt64 = 1
        static let texts: UInt64 = 5
    }

    /// More libraries, or longer names, no program has.
    private static let most = 4096

    init(of file: Data) {
        func word<Word: FixedWidthInteger>(_ type: Word.Type, at offset: UInt64) -> UInt64? {
            guard offset <= UInt64(file.count), UInt64(file.count) - offset >= UInt64(MemoryLayout<Word>.size) else { return nil }
            let value = file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Int(offset), as: Word.self) }
            return UInt64(Word(littleEndian: value))
        }
        func segments(_ type: UInt32) -> [Segment] {
            guard let first = word(UInt64.self, at: 32), let size = word(UInt16.self, at: 54), let count = word(UInt16.self, at: 56) else {
                return []
            }
            return (0..<count).compactMap { number in
                let position = first &+ number * size
                guard word(UInt32.self, at: position) == UInt64(type), let offset = word(UInt64.self, at: position &+ 8),
                    let address = word(UInt64.self, at: position &+ 16), let size = word(UInt64.self, at: position &+ 32)
                else { return nil }
                return Segment(offset: offset, address: address, size: size)
            }
        }
        func text(at offset: UInt64) -> String? {
            guard offset < UInt64(file.count) else { return nil }
            let start = file.startIndex + Int(offset)
            return String(decoding: file[start...].prefix(Self.most).prefix { $0 != 0 }, as: UTF8.self)
        }

        var names: [UInt64] = []
        var texts: UInt64?
        let isElf = file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
        for segment in isElf ? segments(SegmentType.dynamic).prefix(1) : [] {
            for entry in 0..<min(segment.size / 16, UInt64(Self.most)) {
                let position = segment.offset &+ entry * 16
                guard let tag = word(UInt64.self, at: position), let value = word(UInt64.self, at: position &+ 8), tag != Tag.end else {
                    break
                }
                if tag == Tag.needed { names.append(value) }
                if tag == Tag.texts { texts = value }
            }
        }
        // The dynamic section has the address at which the texts are loaded.
        let loaded = segments(SegmentType.loaded).first { segment in
            texts.map { $0 >= segment.address && $0 - segment.address < segment.size } ?? false
        }
        guard let texts, let loaded else {
            self.names = []
            return
        }
        self.names = names.compactMap { text(at: loaded.offset &+ (texts - loaded.address) &+ $0) }
    }
}
