import Foundation
import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceFile

/// Truncated and damaged recordings: whole blocks are read, damage is reported, and nothing is invented.
///
/// `HOPSCOPE_DAMAGES=10000` in the environment sets the number of damages to try; the default takes seconds.
@Suite struct DamageTests {
    private let folder: ScratchFolder
    private let original: OriginalRecording

    init() throws {
        folder = try ScratchFolder()
        original = try OriginalRecording(in: folder)
    }

    /// The number of damages to try.
    private static var damages: Int {
        ProcessInfo.processInfo.environment["HOPSCOPE_DAMAGES"].flatMap { Int($0) } ?? 400
    }

    @Test func aTruncatedRecordingHasTheBlocksBeforeTheCut() throws {
        let path = folder.path("cut.hop")
        try original.bytes.write(to: URL(fileURLWithPath: path))
        let last = try #require(original.blocks.last { $0.kind == .events })
        for size in (last.offset..<original.bytes.count).reversed() {
            #expect(truncate(path, off_t(size)) == 0)
            let reader = try TraceFileReader(path: path)
            let whole = original.blocks.last { $0.kind == .events && $0.end <= size }
            let count = whole.map { $0.firstEvent + $0.count - 1 } ?? 0
            #expect(reader.eventCount == count, "cut at \(size)")
            #expect(reader.allEvents == Array(original.events.prefix(count)), "cut at \(size)")
            #expect(!reader.isComplete)
            #expect(reader.damage.isEmpty)
            #expect(reader.incompleteBytes == size - (original.blocks.last { $0.end <= size }?.end ?? 0))
        }
    }

    @Test func aRecordingCutInItsHeaderIsReadOrRefusedWithASentence() throws {
        let path = folder.path("cut.hop")
        try original.bytes.write(to: URL(fileURLWithPath: path))
        let first = try #require(original.blocks.first)
        for size in (0..<first.end).reversed() {
            #expect(truncate(path, off_t(size)) == 0)
            do {
                let reader = try TraceFileReader(path: path)
                #expect(reader.eventCount == 0)
                #expect(size >= first.offset, "without a header it is nothing")
            } catch {
                #expect(error.kind == .unreadable)
                #expect(error.description.hasSuffix("."))
                #expect(size < first.offset)
            }
        }
    }

    @Test func damageIsReportedAndWholeBlocksAreRead() throws {
        let path = folder.path("damaged.hop")
        var generator = SeededGenerator(seed: 2024)
        var (refused, reported, untouched) = (0, 0, 0)
        for number in 0..<Self.damages {
            let damage = Damage.random(of: original.bytes.count, using: &generator)
            let bytes = damage.applied(to: original.bytes, using: &generator)
            try bytes.write(to: URL(fileURLWithPath: path))
            do {
                let reader = try TraceFileReader(path: path)
                let events = reader.allEvents
                if bytes == original.bytes { untouched += 1 } else { reported += 1 }
                #expect(original.differences(from: events) == [], "damage \(number), \(damage)")
                #expect(bytes == original.bytes || isReported(reader, events), "damage \(number), \(damage)")
                if case .overwritten = damage { expectAllWhole(events, bytes, "damage \(number), \(damage)") }
                // The surviving events can be folded.
                let history = TraceHistory(reader)
                history.loadAll()
                #expect(history.store.eventCount == events.count)
            } catch {
                refused += 1
                #expect(error.kind == .unreadable && error.description.hasSuffix("."), "damage \(number), \(damage)")
            }
        }
        #expect(reported > Self.damages / 2)
        #expect(refused < Self.damages / 4)
        #expect(refused + reported + untouched == Self.damages)
    }

    /// Whether the reader reports the damage. A recording without its footer or index counts as one that was not ended.
    private func isReported(_ reader: TraceFileReader, _ events: [RecordedEvent]) -> Bool {
        !reader.damage.isEmpty || !reader.isComplete || events == original.events && reader.entries.count == original.entryCount
    }

    /// Expects every event of every undamaged block.
    private func expectAllWhole(_ events: [RecordedEvent], _ bytes: Data, _ comment: String) {
        for block in original.blocks where block.kind == .events && block.end <= bytes.count {
            let range = block.offset..<block.end
            guard bytes[range] == original.bytes[range] else { continue }
            let numbers = block.firstEvent - 1..<block.firstEvent - 1 + block.count
            #expect(numbers.upperBound <= events.count && events[numbers] == original.events[numbers], "\(comment): \(numbers)")
        }
    }

    /// Ways to count many events in few bytes with valid checksums: numbers that a block skips, blocks of events without events, and places
    /// in an index.
    @Test("Few bytes cannot stand for many events", arguments: 0..<3)
    func claimedEvents(way: Int) throws {
        let path = folder.path("claims.hop")
        var bytes = [UInt8](original.bytes.prefix(original.blocks[0].offset))
        var next = 1
        var rows: [TraceFileRow] = []
        func append(_ kind: TraceFileBlockKind, count: Int, payload: [UInt8] = []) {
            var block = TraceFileBlock(kind, sequence: UInt64(rows.count), offset: bytes.count, firstEvent: next)
            (block.count, block.payloadSize) = (count, payload.count)
            if kind == .events { block.encodingCode = TraceFileEncoding.packed.rawValue }
            var whole = [UInt8](repeating: 0, count: TraceFileBlock.size) + payload
            block.seal(&whole)
            rows.append(TraceFileRow(block))
            bytes += whole
        }
        for _ in 0..<1000 {
            switch way {
            case 0:
                bytes += [UInt8](repeating: 0, count: TraceFileBlock.size)
                next += TraceFileEvents.blockLimit
                append(.profile, count: 0)
            case 1:
                append(.events, count: TraceFileEvents.blockLimit)
                next += TraceFileEvents.blockLimit
            case _:
                append(.events, count: 1 << 18)
                next += 1 << 18
            }
        }
        if way == 2 {
            let index = bytes.count
            append(.index, count: rows.count, payload: TraceFileIndex.payload(of: rows, previous: 0))
            let footer = TraceFileFooter(eventCount: next - 1, entryCount: 0, lost: 0, lastIndex: index)
            append(.footer, count: 1, payload: footer.payload)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let reader = try TraceFileReader(path: path)
        #expect(reader.eventCount <= (1 << 17) + 8 * bytes.count)
        #expect(!reader.damage.isEmpty)
    }

    @Test func damagedNamesLeaveTheEvents() throws {
        let path = folder.path("names.hop")
        let names = try #require(original.blocks.first { $0.kind == .entries })
        var bytes = original.bytes
        bytes[names.offset + TraceFileBlock.size + 30] ^= 0x10
        try bytes.write(to: URL(fileURLWithPath: path))
        let reader = try TraceFileReader(path: path)
        #expect(reader.allEvents == original.events)
        #expect(reader.damage.map(\.loss) == [.names])
        let history = TraceHistory(reader)
        history.loadAll()
        #expect(history.store.rows.allSatisfy { !history.store[$0].label.name.isEmpty })
    }

    @Test func anotherVersionIsRefusedWithASentence() throws {
        let path = folder.path("newer.hop")
        var bytes = [UInt8](original.bytes)
        bytes.withUnsafeMutableBytes { TraceFileHeader.setVersion(7, in: $0) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let problem = #expect(throws: TraceProblem.self) { try TraceFileReader(path: path) }
        #expect(problem?.kind == .unreadable)
        #expect(
            problem?.description
                == "“\(path)” was recorded by a newer Hopscope: its format is 7, and this one reads up to 2. Update Hopscope to read it.")
    }

    @Test func aFileThatIsNotARecordingIsRefusedWithASentence() throws {
        try folder.write("", to: "empty.hop")
        try folder.write("HOPLANES, or something else", to: "other.hop")
        for (name, kind) in [
            ("empty.hop", TraceProblem.Kind.unreadable), ("other.hop", .unreadable), ("none.hop", .missing), ("", .unreadable),
        ] {
            let problem = #expect(throws: TraceProblem.self) { try TraceFileReader(path: folder.path(name)) }
            #expect(problem?.kind == kind, "\(name)")
            #expect(problem?.description.hasSuffix(".") == true)
        }
    }

    @Test(arguments: [(ENOSPC, "the disk is full"), (EDQUOT, "your quota of the disk is used up")])
    func aFullDiskEndsTheRecordingWithASentence(error: Int32, cause: String) throws {
        let path = folder.path("full.hop")
        nonisolated(unsafe) var room = original.bytes.count / 2
        let file = try TraceFileOutput(path: path) { descriptor, bytes, count in
            let taken = min(count, room)
            room -= taken
            guard taken > 0 else {
                errno = error
                return -1
            }
            return write(descriptor, bytes, taken)
        }
        let writer = try TraceFileWriter(file: file, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
        let problem = #expect(throws: TraceProblem.self) {
            for _ in 0..<100 {
                try writer.write(original.trace, inBatchesOf: 1000)
                try writer.flush()
            }
        }
        #expect(
            problem?.description
                == "The recording “\(path)” ends early: it cannot be written further: \(cause). Make room, or record to another one."
        )
        let reader = try TraceFileReader(path: path)
        #expect(reader.damage.isEmpty)
        #expect(reader.incompleteBytes == 0)
        #expect(original.differences(from: reader.allEvents) == [])
    }
}

/// A recording of many small blocks, and its events.
private struct OriginalRecording {
    let trace = RandomTrace(seed: 4, tasks: 150, isComplete: true).trace
    let bytes: Data
    let events: [RecordedEvent]
    let blocks: [TraceFileBlock]
    let entryCount: UInt32

    init(in folder: ScratchFolder) throws {
        let path = folder.path("original.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "original", pid: 1, startRealtime: 0))
        writer.write(trace.entries)
        for start in stride(from: 0, to: trace.events.count, by: 60) {
            let range = start..<min(start + 60, trace.events.count)
            try writer.write(TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range])))
            try writer.flush()
        }
        try writer.finish()
        bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        events = trace.allEvents
        entryCount = trace.entries.count
        var blocks: [TraceFileBlock] = []
        bytes.withUnsafeBytes { bytes in
            var offset = Int(bytes.load32(12))
            while let block = TraceFileBlock(UnsafeRawBufferPointer(rebasing: bytes[offset...]), at: offset) {
                blocks.append(block)
                offset = block.end
            }
        }
        self.blocks = blocks
        precondition(blocks.last?.end == bytes.count && blocks.count > 10)
    }

    /// The numbers of events that differ from the written ones; loss events are expected.
    func differences(from read: [RecordedEvent]) -> [Int] {
        read.indices.filter { index in
            let event = read[index]
            let isLoss = event.code == EventKind.lost.rawValue && event.lane == TraceBatch.noLane
            return !isLoss && (index >= events.count || event != events[index])
        }.map { $0 + 1 }
    }
}

/// The kinds of damage to a file.
private enum Damage: CustomStringConvertible {
    case overwritten(Range<Int>)
    case removed(Range<Int>)
    case inserted(at: Int, count: Int)
    case moved(Range<Int>, to: Int)
    case cut(at: Int)

    var description: String {
        switch self {
        case .overwritten(let range): "overwritten \(range)"
        case .removed(let range): "removed \(range)"
        case .inserted(let index, let count): "inserted \(count) at \(index)"
        case .moved(let range, let index): "moved \(range) to \(index)"
        case .cut(let index): "cut at \(index)"
        }
    }

    static func random(of size: Int, using generator: inout SeededGenerator) -> Damage {
        let start = Int.random(in: 0..<size, using: &generator)
        let longest = [1, 4, 100, 5000].randomElement(using: &generator)!
        let range = start..<min(size, start + Int.random(in: 1...longest, using: &generator))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return .removed(range)
        case 1: return .inserted(at: start, count: range.count)
        case 2: return .moved(range, to: Int.random(in: 0...(size - range.count), using: &generator))
        case 3: return .cut(at: start)
        case _: return .overwritten(range)
        }
    }

    func applied(to original: Data, using generator: inout SeededGenerator) -> Data {
        var bytes = original
        switch self {
        case .overwritten(let range):
            // One bit, zeros, ones, or random bytes.
            let manner = Int.random(in: 0..<4, using: &generator)
            for index in range {
                switch manner {
                case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[index] = 0
                case 2: bytes[index] = 0xFF
                case _: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                }
            }
        case .removed(let range):
            bytes.removeSubrange(range)
        case .inserted(let index, let count):
            bytes.insert(contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: index)
        case .moved(let range, let index):
            bytes.replaceSubrange(index..<index + range.count, with: original[range])
        case .cut(let index):
            bytes.removeSubrange(index...)
        }
        return bytes
    }
}
