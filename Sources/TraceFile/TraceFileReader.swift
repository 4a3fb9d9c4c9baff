import TaskEvents
import TraceTransport

/// Reads a recording: a `.hop` file that is still being written, is complete, or was cut off or damaged.
///
/// Opening reads all names and the places of the blocks, from the index or by walking from block to block. A block of events is read when
/// one of its events is requested, and its checksum is verified before use. The events of a damaged block count as missing: a `.lost` event
/// replaces each of them, and ``damage`` reports the block. An event therefore has the same number in every copy of a recording. Not
/// thread-safe.
package final class TraceFileReader: RecordedTrace {
    let file: TraceFileInput
    package internal(set) var header: TraceFileHeader
    /// All names, sites, errors and executors of the file; `.none` for damaged ones.
    package internal(set) var entries = EntryTable()
    /// Whether the recording was finished, so that nothing more can follow.
    package internal(set) var isComplete = false
    /// Whether the program had ended when the recording was finished. Nil if the file does not say: an earlier version wrote it, or it has
    /// no footer.
    package internal(set) var sawExit: Bool?
    package internal(set) var knownUntil: UInt64 = 0
    /// The number of lost events that a finished recording counts; 0 for another.
    package internal(set) var lost: UInt64 = 0
    /// The damage found so far. Reading every event finds all of it.
    package internal(set) var damage: [TraceFileDamage] = []

    /// All events, in order and without gaps.
    var segments: [TraceFileSegment] = []
    /// The offsets of the blocks of the profile.
    var profiles: [Int] = []
    /// The functions that each place of the profile's stacks is in, as far as they have been learnt.
    package private(set) var stackNames: [CodeAddress: [CodeSymbol]] = [:]
    /// The number of events in gaps between blocks.
    var missingEvents = 0
    /// The number of entries that are missing among the known ones.
    var missingEntries = 0
    /// The offset up to which the file's blocks are known.
    var scanned = 0
    /// The file's size at the last look.
    var size = 0
    private let decompressor = TraceFileDecompressor()
    /// The blocks read last. They hold as many events as a store shows of the past, so that neither stepping nor drawing reads a block
    /// twice.
    private var recent: [EventStretch] = []

    /// Throws a sentence for the user if the file does not exist, is not a recording, has a newer version, or has no intact part.
    package init(path: String) throws(TraceProblem) {
        file = try TraceFileInput(path: path)
        size = file.size
        header = TraceFileHeader(program: "", pid: 0, startRealtime: 0)
        try readHeader()
        if !readIndex() { scan() }
        if damage.contains(where: { $0.loss == .header }), segments.isEmpty {
            throw TraceProblem(.unreadable, "“\(path)” is a recording, but cut or damaged so early that nothing of it can be read.")
        }
    }

    package var path: String { file.path }

    /// The number of events, including missing ones.
    package var eventCount: Int { numbers.upperBound - 1 }

    package var numbers: Range<Int> { 1..<(segments.last.map(\.numbers.upperBound) ?? 1) }

    /// The number of bytes at the end of the file that form no whole block: a block that is being written, or one that was cut off.
    package var incompleteBytes: Int { max(0, size - scanned) }

    /// The latest time of an event.
    package var endTime: UInt64 { segments.last?.lastTime ?? 0 }

    /// Whether the recording has samples and context switches of the program's threads.
    package var hasProfile: Bool { !profiles.isEmpty }

    /// The samples and context switches of the program's threads. Leaves out damaged blocks. Nil if there are none.
    package func profile() -> ThreadProfile? {
        var whole: ThreadProfile?
        for offset in profiles {
            guard let block = readBlock(at: offset), block.kind == .profile, let payload = readPayload(of: block),
                let part = payload.withUnsafeBytes({ TraceFileProfile.read($0) })
            else { continue }
            if whole == nil { whole = part } else { whole?.append(part) }
        }
        return whole
    }

    // MARK: Events

    package func extent(at number: Int) -> EventExtent {
        let segment = segments[index(of: number)]
        return EventExtent(numbers: segment.numbers, kinds: segment.kinds)
    }

    package func stretch(at number: Int) -> EventStretch {
        if let known = recent.firstIndex(where: { $0.numbers.contains(number) }) { return recent[known] }
        let stretch = read(index(of: number), for: number)
        recent.append(stretch)
        while recent.count > 2, recent.reduce(0, { $0 + $1.events.count }) > Self.recentLimit { recent.removeFirst() }
        return stretch
    }

    private static let recentLimit = 262_144

    private func index(of number: Int) -> Int {
        precondition(numbers.contains(number), "event \(number) of a recording of \(eventCount)")
        return segments.partitioningIndex { $0.first > number } - 1
    }

    private func read(_ index: Int, for number: Int) -> EventStretch {
        let segment = segments[index]
        if let offset = segment.offset {
            if let stretch = readEvents(segment, at: offset) { return stretch }
            lose(index, at: offset)
            return read(self.index(of: number), for: number)
        }
        return .missing(segment.numbers, at: segment.lastTime)
    }

    func readEvents(_ segment: TraceFileSegment, at offset: Int) -> EventStretch? {
        guard let block = readBlock(at: offset), segment.isOf(block), let payload = readPayload(of: block) else { return nil }
        return payload.withUnsafeBytes { EventStretch(block, payload: $0) }
    }

    /// Replaces a block that turned out to be damaged by missing events.
    private func lose(_ index: Int, at offset: Int) {
        let segment = segments[index]
        segments.replaceSubrange(index...index, with: TraceFileSegment.missing(segment.numbers, at: segment.firstTime))
        let known = readBlock(at: offset).flatMap { segment.isOf($0) ? $0.end : nil }
        let end = known ?? offset + TraceFileBlock.size
        damage.append(TraceFileDamage(loss: .events(segment.numbers), bytes: offset..<max(offset + 1, min(end, size))))
    }

    // MARK: Blocks

    /// The header of the block at `offset`; nil if no valid block begins there.
    func readBlock(at offset: Int) -> TraceFileBlock? {
        file.bytes(at: offset, count: TraceFileBlock.size).withUnsafeBytes { TraceFileBlock($0, at: offset) }
    }

    /// A block's payload, decompressed; nil if its checksum does not match.
    func readPayload(of block: TraceFileBlock) -> [UInt8]? {
        let payload = file.bytes(at: block.offset + TraceFileBlock.size, count: block.payloadSize)
        guard payload.count == block.payloadSize, payload.withUnsafeBytes(TraceFileChecksum.of) == block.payloadChecksum else { return nil }
        switch block.encoding {
        case .plain: return payload
        case .packed: return payload.withUnsafeBytes { decompressor.payload(of: $0, limit: TraceFileBlock.payloadLimit * 2) }
        case nil: return nil
        }
    }
}

/// Consecutive events: those of one block, or missing ones.
struct TraceFileSegment: BitwiseCopyable {
    var first: Int
    var count: Int
    /// The offset of the events' block; nil if they are missing.
    var offset: Int?
    var firstTime: UInt64
    var lastTime: UInt64
    var kinds: EventKinds

    var numbers: Range<Int> { first..<(first + count) }

    init(_ row: TraceFileRow) {
        first = row.firstEvent
        count = row.count
        offset = row.offset
        firstTime = row.firstTime
        lastTime = row.lastTime
        kinds = row.kinds
    }

    private init(missing numbers: Range<Int>, at time: UInt64) {
        first = numbers.lowerBound
        count = numbers.count
        firstTime = time
        lastTime = time
        kinds = EventKinds(.lost)
    }

    /// Splits missing events into segments of at most a block, which bounds the placeholders made at a time.
    static func missing(_ numbers: Range<Int>, at time: UInt64) -> [TraceFileSegment] {
        stride(from: numbers.lowerBound, to: numbers.upperBound, by: TraceFileEvents.blockLimit).map { first in
            TraceFileSegment(missing: first..<min(first + TraceFileEvents.blockLimit, numbers.upperBound), at: time)
        }
    }

    /// Whether `block` is the block that was there when the file was opened. Another recording may have replaced the file's contents.
    func isOf(_ block: TraceFileBlock) -> Bool {
        block.kind == .events && block.firstEvent == first && block.count == count && block.firstTime == firstTime
            && block.lastTime == lastTime && block.kinds == kinds
    }
}

extension TraceFileReader {
    /// Adds symbols for places in code, and the functions of the places of stacks.
    package func learn(_ names: FoundNames) {
        guard !names.symbols.isEmpty || !names.stacks.isEmpty else { return }
        entries.learn(names.symbols)
        stackNames.merge(names.stacks) { _, new in new }
    }
}
