import CTraceLanes
import Foundation
import TaskEvents
import Testing
import TraceTestKit
import TraceTransport

@testable import TraceFile

/// The events of a block survive the way into columns and back, and columns that no writer wrote are refused.
@Suite struct PackedBlockTests {
    /// Events whose fields take every width, the extremes included.
    private static func randomEvents(_ count: Int, using generator: inout SeededGenerator) -> (events: [TaskEvent], lanes: [UInt16]) {
        func number() -> UInt64 { UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64.random(in: 0..<64, using: &generator) }
        let events = (0..<count).map { _ in
            TaskEvent(
                record: trace_record(
                    time: min(number(), TraceLimits.latestTime), task: number(), other: number() & TraceLimits.mostLost,
                    label: UInt32(truncatingIfNeeded: number()), executor: UInt16(truncatingIfNeeded: number()),
                    kind: UInt8(truncatingIfNeeded: number()), detail: UInt8(truncatingIfNeeded: number())))
        }
        var lanes: [UInt16] = []
        while lanes.count < count {
            let length = min(count - lanes.count, Int.random(in: 1...9, using: &generator))
            lanes += repeatElement(UInt16(truncatingIfNeeded: number()), count: length)
        }
        return (events, lanes)
    }

    private static func columns(of events: [TaskEvent], _ lanes: [UInt16], from time: UInt64) -> [UInt8] {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: events.count * TraceFileColumns.mostBytesPerEvent, alignment: 8)
        defer { room.deallocate() }
        return Array(TraceFileColumns.write(events, lanes: lanes, from: time, to: room))
    }

    @Test(arguments: [1, 2, 100, TraceFileEvents.blockLimit])
    func columnsHoldEveryField(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let (events, lanes) = Self.randomEvents(count, using: &generator)
        let time = events.map(\.time).min()!
        let bytes = Self.columns(of: events, lanes, from: time)
        let read = try #require(bytes.withUnsafeBytes { TraceFileColumns.read($0, count: count, from: time) })
        #expect(zip(read.events, read.lanes).map { RecordedEvent($0, lane: $1) } == zip(events, lanes).map { RecordedEvent($0, lane: $1) })
    }

    @Test func columnsOfAnotherLengthAreRefused() {
        var generator = SeededGenerator(seed: 5)
        let (events, lanes) = Self.randomEvents(50, using: &generator)
        let bytes = Self.columns(of: events, lanes, from: 0)
        for size in 0..<bytes.count {
            #expect(bytes[..<size].withUnsafeBytes { TraceFileColumns.read($0, count: 50, from: 0) } == nil, "\(size) bytes")
        }
        #expect((bytes + [0]).withUnsafeBytes { TraceFileColumns.read($0, count: 50, from: 0) } == nil)
    }

    /// A checksum and a whole frame do not prove that this project's writer wrote the columns.
    @Test func anyColumnsAreReadOrRefused() throws {
        let folder = try ScratchFolder()
        let path = folder.path("odd.hop")
        let compressor = try TraceFileCompressor()
        var generator = SeededGenerator(seed: 77)
        var (read, refused) = (0, 0)
        for _ in 0..<300 {
            let count = Int.random(in: 1...200, using: &generator)
            let (events, lanes) = Self.randomEvents(count, using: &generator)
            var columns = Self.columns(of: events, lanes, from: 0)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                columns[Int.random(in: columns.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            try Self.file(columns, count: count, compressor).write(to: URL(fileURLWithPath: path))
            let reader = try TraceFileReader(path: path)
            let all = reader.allEvents
            #expect(all.count == count)
            #expect(all.allSatisfy { $0.time <= TraceLimits.latestTime })
            if reader.damage.isEmpty { read += 1 } else { refused += 1 }
        }
        #expect(read > 50)
        #expect(refused > 50)
    }

    @Test func aFrameThatIsNoneIsDamage() throws {
        let folder = try ScratchFolder()
        let path = folder.path("odd.hop")
        var header = TraceFileBlock(.events, sequence: 0, offset: 0, firstEvent: 1)
        header.count = 3
        var bytes = TraceFileHeader(program: "odd", pid: 1, startRealtime: 0).bytes
        header.offset = bytes.count
        header.encodingCode = TraceFileEncoding.packed.rawValue
        var block = [UInt8](repeating: 0, count: TraceFileBlock.size) + [UInt8](repeating: 0xA5, count: 64)
        header.payloadSize = 64
        header.seal(&block)
        bytes += block
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let reader = try TraceFileReader(path: path)
        #expect(reader.allEvents.map(\.code) == Array(repeating: EventKind.lost.rawValue, count: 3))
        #expect(reader.damage.count == 1)
    }

    /// A recording of one block with these columns.
    private static func file(_ columns: [UInt8], count: Int, _ compressor: TraceFileCompressor) throws -> Data {
        var bytes = TraceFileHeader(program: "odd", pid: 1, startRealtime: 0).bytes
        var header = TraceFileBlock(.events, sequence: 0, offset: bytes.count, firstEvent: 1)
        header.count = count
        header.encodingCode = TraceFileEncoding.packed.rawValue
        var block = [UInt8](repeating: 0, count: TraceFileBlock.size)
        try columns.withUnsafeBytes { try compressor.append($0, to: &block) }
        header.payloadSize = block.count - TraceFileBlock.size
        header.seal(&block)
        bytes += block
        return Data(bytes)
    }
}
