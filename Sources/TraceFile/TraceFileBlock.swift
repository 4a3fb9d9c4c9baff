import TaskEvents
import TraceTransport

/// The kind of a recording's block. Readers skip kinds that they do not know.
enum TraceFileBlockKind: UInt16 {
    case events = 1
    case entries = 2
    /// The places of the blocks since the previous index.
    case index = 3
    /// The end of the recording. It holds the place of the last index.
    case footer = 4
    /// Samples and context switches of the program's threads.
    case profile = 5
    /// The functions and lines of places in code.
    case symbols = 6
}

/// The storage form of a block's payload.
enum TraceFileEncoding: UInt16 {
    /// The form of all blocks of version 1: events as records of 32 bytes, everything else unchanged.
    case plain = 0
    /// One zstd frame: events as columns, everything else unchanged.
    case packed = 1
}

/// The header before a block's payload. `Docs/TraceFormat.md` describes the layout.
struct TraceFileBlock: BitwiseCopyable {
    static var size: Int { 80 }
    /// "HOPB".
    static var magic: UInt32 { 0x4250_4F48 }
    /// The largest payload that a writer makes, in bytes.
    static var payloadLimit: Int { 1 << 24 }
    /// The size of an event in a plain payload, as it lies in memory.
    static var recordSize: Int { MemoryLayout<TaskEvent>.size }
    /// The largest number of events that a block's header can announce: those of the largest plain payload.
    static var mostEvents: Int { payloadLimit / recordSize }

    /// The kind as stored in the file. Another version of the program may write kinds that this version does not know.
    var kindCode: UInt16
    /// The encoding as stored in the file.
    var encodingCode = TraceFileEncoding.plain.rawValue
    /// Bytes of the payload, a multiple of eight.
    var payloadSize: Int
    /// The number of events, entries or places in the block. In the footer, a ``TraceFileFooter/Exit``.
    var count: Int
    /// The block's number among all blocks, from 0.
    var sequence: UInt64
    /// The block's offset in the file. A block that is found at another offset is invalid.
    var offset: Int
    /// The number of the block's first event, from 1. In a block without events, the number of the next event in the file.
    var firstEvent: Int
    /// The earliest and the latest time of the block's events.
    var firstTime: UInt64 = 0
    var lastTime: UInt64 = 0
    /// The number of missing events that the block's `.lost` events count.
    var lost: UInt64 = 0
    var kinds: EventKinds = []
    var payloadChecksum: UInt32 = 0

    var kind: TraceFileBlockKind? { TraceFileBlockKind(rawValue: kindCode) }
    /// Nil for an encoding that a later version of the format added.
    var encoding: TraceFileEncoding? { TraceFileEncoding(rawValue: encodingCode) }
    var end: Int { offset + Self.size + payloadSize }

    init(_ kind: TraceFileBlockKind, sequence: UInt64, offset: Int, firstEvent: Int) {
        kindCode = kind.rawValue
        self.sequence = sequence
        self.offset = offset
        self.firstEvent = firstEvent
        payloadSize = 0
        count = 0
    }

    /// Nil if `bytes` are not a valid header, or are the header of a block at another offset.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard bytes.count >= Self.size, bytes.load32(0) == Self.magic,
            bytes.load32(76) == TraceFileChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<76])),
            bytes.load64(24) == UInt64(offset), let firstEvent = Int(exactly: bytes.load64(32)), firstEvent < 1 << 56
        else { return nil }
        kindCode = bytes.load16(4)
        encodingCode = bytes.load16(6)
        payloadSize = Int(bytes.load32(8))
        count = Int(bytes.load32(12))
        sequence = bytes.load64(16)
        self.offset = offset
        self.firstEvent = firstEvent
        firstTime = min(bytes.load64(40), TraceLimits.latestTime)
        lastTime = min(bytes.load64(48), TraceLimits.latestTime)
        lost = min(bytes.load64(56), TraceLimits.mostLost)
        kinds = EventKinds(rawValue: bytes.load64(64))
        payloadChecksum = bytes.load32(72)
        guard payloadSize <= Self.payloadLimit, payloadSize % 8 == 0 else { return nil }
        if kind == .events, count == 0 || count > Self.mostEvents { return nil }
        if kind == .events, encoding == .plain, payloadSize < count * Self.recordSize { return nil }
    }

    /// Writes the header with its checksums into the space that `block` leaves free before the payload.
    mutating func seal(_ block: inout [UInt8]) {
        block.withUnsafeMutableBytes { bytes in
            payloadChecksum = TraceFileChecksum.of(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[Self.size...]))
            store(to: bytes)
        }
    }

    private func store(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.store32(0, Self.magic)
        bytes.store16(4, kindCode)
        bytes.store16(6, encodingCode)
        bytes.store32(8, UInt32(payloadSize))
        bytes.store32(12, UInt32(count))
        bytes.store64(16, sequence)
        bytes.store64(24, UInt64(offset))
        bytes.store64(32, UInt64(firstEvent))
        bytes.store64(40, firstTime)
        bytes.store64(48, lastTime)
        bytes.store64(56, lost)
        bytes.store64(64, kinds.rawValue)
        bytes.store32(72, payloadChecksum)
        bytes.store32(76, TraceFileChecksum.of(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<76])))
    }
}

/// Little-endian numbers at any offset. Callers check sizes first, so reading past the end is a broken invariant.
extension UnsafeRawBufferPointer {
    func load16(_ offset: Int) -> UInt16 { UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)) }
    func load32(_ offset: Int) -> UInt32 { UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    func load64(_ offset: Int) -> UInt64 { UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
}

extension UnsafeMutableRawBufferPointer {
    func store16(_ offset: Int, _ value: UInt16) { storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self) }
    func store32(_ offset: Int, _ value: UInt32) { storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self) }
    func store64(_ offset: Int, _ value: UInt64) { storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self) }
}

extension [UInt8] {
    mutating func append32(_ value: UInt32) { Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) } }
    mutating func append64(_ value: UInt64) { Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) } }

    /// Appends zeros up to the next multiple of eight.
    mutating func pad() {
        append(contentsOf: repeatElement(0, count: -count & 7))
    }
}
