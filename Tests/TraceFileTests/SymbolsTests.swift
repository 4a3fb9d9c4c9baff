import Foundation
import TaskEvents
import Testing
import TraceTestKit
import TraceTransport

@testable import TraceFile

/// The functions and lines of places in code that a finished recording has.
@Suite struct SymbolsTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private static func place(_ offset: UInt32) -> CodeAddress { CodeAddress(module: "/usr/bin/größe", offset: offset) }

    private static let names = FoundNames(
        symbols: [
            place(1): CodeSymbol(function: "handle(_:)", file: "App.swift", line: 25, path: "/src/App.swift", library: "NIOCore"),
            place(2): CodeSymbol(function: "swift_task_switch", isMachinery: true),
            place(3): CodeSymbol(function: ""),
        ],
        stacks: [
            place(4): [CodeSymbol(function: "inner()", file: "App.swift", line: 3), CodeSymbol(function: "outer()")],
            place(5): [],
        ])

    /// A table with one entry for the places 1 to 3.
    private static var table: EntryTable {
        var table = EntryTable()
        table.append(.none)
        table.append(.text("/usr/bin/größe"))
        table.append(.code(.calls, (1...3).map { AddressRecord(module: EntryID(rawValue: 1), offset: $0) }))
        return table
    }

    private func writer(_ path: String, _ naming: TraceFileWriter.Naming?) throws -> TraceFileWriter {
        try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 1), naming: naming)
    }

    private func write(to path: String, _ table: EntryTable = Self.table, _ naming: TraceFileWriter.Naming?) throws {
        let writer = try writer(path, naming)
        writer.write(table)
        try writer.write(TraceBatch(events: [TaskEvent(.mark, at: 1)], lanes: [0]))
        var profile = ThreadProfile(hertz: 99)
        profile.appendSample(of: 1, at: 2, [Self.place(4), Self.place(5)])
        try writer.write(profile)
        try writer.finish()
    }

    private func expectNames(_ reader: TraceFileReader) {
        #expect(reader.damage.isEmpty && reader.eventCount == 1)
        #expect(reader.entries.symbols == Self.names.symbols.filter { !$0.value.function.isEmpty })
        #expect(reader.entries.unknownAddresses() == [Self.place(3)])
        #expect(reader.stackNames == Self.names.stacks.filter { !$0.value.isEmpty })
        #expect(reader.entries.symbol(ofCall: EntryID(rawValue: 2))?.site == "App.swift:25")
    }

    @Test("The writer asks once for the names of all places, and a reader has those that were found")
    func roundTrip() throws {
        let path = folder.path("a.hop")
        try write(to: path) { entries, stacks in
            #expect(entries == Set((1...3).map(Self.place)))
            #expect(stacks == [Self.place(4), Self.place(5)])
            return Self.names
        }
        expectNames(try TraceFileReader(path: path))
    }

    @Test("A reader from block to block, and one that read the file before it was finished, have the names too")
    func withoutIndex() throws {
        let path = folder.path("a.hop")
        let writer = try writer(path) { _, _ in Self.names }
        writer.write(Self.table)
        try writer.write(TraceBatch(events: [TaskEvent(.mark, at: 1)], lanes: [0]))
        try writer.flush()
        let early = try TraceFileReader(path: path)
        #expect(early.entries.symbols.isEmpty)
        try writer.finish()
        early.refresh()
        expectNames(early)
        #expect(truncate(path, off_t(writer.fileSize - TraceFileFooter.size)) == 0)
        expectNames(try TraceFileReader(path: path))
    }

    @Test("Names that the table already has are kept, as those of a flight recorder")
    func knownNames() throws {
        let path = folder.path("a.hop")
        var table = Self.table
        table.learn(Self.names.symbols)
        try write(to: path, table, nil)
        let reader = try TraceFileReader(path: path)
        #expect(reader.entries.symbols == Self.names.symbols.filter { !$0.value.function.isEmpty })
        #expect(reader.stackNames.isEmpty)
    }

    @Test("Many names take several blocks, each whole in itself, and a damaged one takes only its own names")
    func severalBlocks() throws {
        let path = folder.path("a.hop")
        let long = String(repeating: "name", count: 100)
        let places = (1...2000).map { Self.place(UInt32($0)) }
        var table = EntryTable()
        table.append(.text("/usr/bin/größe"))
        table.append(.code(.calls, places.map { AddressRecord(module: EntryID(rawValue: 0), offset: $0.offset) }))
        try write(to: path, table) { entries, _ in
            FoundNames(symbols: Dictionary(uniqueKeysWithValues: entries.map { ($0, CodeSymbol(function: "\($0.offset)\(long)")) }))
        }
        #expect(try TraceFileReader(path: path).entries.symbols.count == 2000)

        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let blocks = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - TraceFileBlock.size, by: 8).compactMap { offset in
                TraceFileBlock(UnsafeRawBufferPointer(rebasing: bytes[offset...]), at: offset)
            }.filter { $0.kind == .symbols }
        }
        #expect(blocks.count > 1 && blocks.reduce(0) { $0 + $1.count } == 2000)
        bytes[blocks[0].offset + TraceFileBlock.size + 9] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let reader = try TraceFileReader(path: path)
        #expect(reader.entries.symbols.count == 2000 - blocks[0].count)
        #expect(reader.damage.map(\.loss) == [.names])
        #expect(reader.eventCount == 1)
    }

    @Test("A payload that is cut, or that refers to a text that it lacks, is no block of symbols")
    func hostilePayloads() throws {
        let payload = try #require(TraceFileSymbols.payloads(of: Self.names).first).bytes
        for size in stride(from: 0, to: payload.count - 8, by: 4) {
            #expect(Array(payload.prefix(size)).withUnsafeBytes { TraceFileSymbols.read($0) } == nil, "\(size) bytes")
        }
        var other = payload
        // The number of texts is one too small, so every symbol is read from the wrong place.
        other[0] -= 1
        #expect(other.withUnsafeBytes { TraceFileSymbols.read($0)?.symbols } != Self.names.symbols)
        var none: [UInt8] = []
        for number: UInt32 in [0, 1, 7, 0, 0, 0, 0, 0, 0, 0] { none.append32(number) }
        #expect(none.withUnsafeBytes { TraceFileSymbols.read($0) } == nil)
    }

    @Test("A reader that does not know a kind of block skips it")
    func olderReader() throws {
        let path = folder.path("a.hop")
        try write(to: path) { _, _ in Self.names }
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - TraceFileBlock.size, by: 8) {
                let block = TraceFileBlock(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[offset...]), at: offset)
                guard block?.kind == .symbols else { continue }
                bytes.store16(offset + 4, 60)
                let head = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[offset..<(offset + 76)])
                bytes.store32(offset + 76, TraceFileChecksum.of(head))
            }
        }
        // Only the blocks' own headers were changed, so the reader must go from block to block, without the index.
        try Data(bytes.dropLast(TraceFileFooter.size)).write(to: URL(fileURLWithPath: path))
        let reader = try TraceFileReader(path: path)
        #expect(reader.damage.isEmpty && reader.eventCount == 1 && reader.hasProfile)
        #expect(reader.entries.symbols.isEmpty && reader.stackNames.isEmpty)
    }
}
