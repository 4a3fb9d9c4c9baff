import TaskEvents
import TraceTransport

/// An index's entry for one block: its offset and a summary of its contents.
struct TraceFileRow: BitwiseCopyable {
    static var size: Int { 48 }

    var kindCode: UInt16
    var offset: Int
    var firstEvent: Int
    var count: Int
    var firstTime: UInt64
    var lastTime: UInt64
    var kinds: EventKinds

    var kind: TraceFileBlockKind? { TraceFileBlockKind(rawValue: kindCode) }

    init(_ block: TraceFileBlock) {
        kindCode = block.kindCode
        offset = block.offset
        firstEvent = block.firstEvent
        count = block.count
        firstTime = block.firstTime
        lastTime = block.lastTime
        kinds = block.kinds
    }

    /// Nil if `bytes` are not a valid place in a file of that size.
    init?(_ bytes: UnsafeRawBufferPointer, fileSize: Int) {
        guard let offset = Int(exactly: bytes.load64(0)), offset <= fileSize - TraceFileBlock.size,
            let firstEvent = Int(exactly: bytes.load64(8)), firstEvent > 0, firstEvent < 1 << 56
        else { return nil }
        self.offset = offset
        self.firstEvent = firstEvent
        firstTime = min(bytes.load64(16), TraceLimits.latestTime)
        lastTime = min(bytes.load64(24), TraceLimits.latestTime)
        kinds = EventKinds(rawValue: bytes.load64(32))
        count = Int(bytes.load32(40))
        kindCode = bytes.load16(44)
        guard count <= TraceFileBlock.payloadLimit else { return nil }
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append64(UInt64(offset))
        bytes.append64(UInt64(firstEvent))
        bytes.append64(firstTime)
        bytes.append64(lastTime)
        bytes.append64(kinds.rawValue)
        bytes.append32(UInt32(count))
        bytes.append32(UInt32(kindCode))
    }
}

/// The payload of an index: the places of the blocks since the previous index, and the offset of the previous index.
enum TraceFileIndex {
    /// The number of places after which an index is written, so that a writer's memory does not grow with its file.
    static var limit: Int { 1024 }

    static func payload(of rows: [TraceFileRow], previous: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + rows.count * TraceFileRow.size)
        bytes.append64(UInt64(previous))
        for row in rows { row.append(to: &bytes) }
        return bytes
    }

    /// Nil if `payload` is not a valid index.
    static func read(_ payload: UnsafeRawBufferPointer, count: Int, fileSize: Int) -> (rows: [TraceFileRow], previous: Int)? {
        guard payload.count == 8 + count * TraceFileRow.size, let previous = Int(exactly: payload.load64(0)) else { return nil }
        var rows: [TraceFileRow] = []
        rows.reserveCapacity(count)
        for number in 0..<count {
            let start = 8 + number * TraceFileRow.size
            let bytes = UnsafeRawBufferPointer(rebasing: payload[start..<(start + TraceFileRow.size)])
            guard let row = TraceFileRow(bytes, fileSize: fileSize) else { return nil }
            rows.append(row)
        }
        return (rows, previous)
    }
}

/// The payload of the last block. It marks a recording as complete and has the place of the last index.
struct TraceFileFooter: BitwiseCopyable {
    static var payloadSize: Int { 32 }
    /// The size of the footer's whole block, which is the last in the file.
    static var size: Int { TraceFileBlock.size + payloadSize }

    /// What the recording saw of the program's end: the `count` of the footer's block. Recordings of earlier versions have 0.
    enum Exit: Int {
        case seen = 1
        case unseen = 2
    }

    var eventCount: Int
    var entryCount: Int
    var lost: UInt64
    /// The offset of the last index; 0 if the file has no index.
    var lastIndex: Int

    var payload: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append64(UInt64(eventCount))
        bytes.append64(UInt64(entryCount))
        bytes.append64(lost)
        bytes.append64(UInt64(lastIndex))
        return bytes
    }
}

extension TraceFileFooter {
    init?(_ payload: UnsafeRawBufferPointer) {
        guard payload.count == Self.payloadSize, let eventCount = Int(exactly: payload.load64(0)), eventCount < 1 << 56,
            let entryCount = Int(exactly: payload.load64(8)), let lastIndex = Int(exactly: payload.load64(24))
        else { return nil }
        self.init(eventCount: eventCount, entryCount: entryCount, lost: payload.load64(16), lastIndex: lastIndex)
    }
}

extension TraceFileBlock {
    /// Whether the program had ended at the end of the recording, by its footer. Nil if the block does not say.
    var sawExit: Bool? { TraceFileFooter.Exit(rawValue: count).map { $0 == .seen } }
}
