import Foundation
import Testing
import TraceTestKit

@testable import RemoteTasks

/// Core files that no kernel writes whole: with holes, cut off, or with a segment at the end of the address space.
@Suite(.enabled(if: writesCoreFiles()), .timeLimit(.minutes(3)))
struct OddCoreTests {
    private let folder: ScratchFolder
    private let program: String
    private let core: String

    init() throws {
        folder = try ScratchFolder()
        program = try UnpreparedProgram.crash.path(.debug)
        core = try CoreTests.core(of: program, CoreTests.Crash(how: "abort"), in: folder)
    }

    /// Puts the last loaded segment of the core file, which is not the program's, at another address.
    private func moveLastSegment(to address: UInt64, offset: UInt64? = nil, size: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: core))
        defer { try? file.close() }
        let header = try #require(try file.read(upToCount: 64))
        func number<Number: FixedWidthInteger>(at offset: Int, in data: Data, _: Number.Type) -> Number {
            data.dropFirst(offset).prefix(Number.bitWidth / 8).enumerated().reduce(0) { $0 | Number($1.element) << ($1.offset * 8) }
        }
        let table = number(at: 32, in: header, UInt64.self)
        let count = number(at: 56, in: header, UInt16.self)
        let segment = table + UInt64(count - 1) * 56
        func write(_ value: UInt64, at offset: UInt64) throws {
            try file.seek(toOffset: segment + offset)
            try file.write(contentsOf: withUnsafeBytes(of: value.littleEndian) { Data($0) })
        }
        if let offset { try write(offset, at: 8) }
        try write(address, at: 16)
        try write(size, at: 32)
        try write(size, at: 40)
    }

    private func snapshot() throws -> Snapshot { try Snapshot(of: RemoteProcess(core: core, program: program)) }

    private func expectAll(_ snapshot: Snapshot) {
        #expect(snapshot.tasks.count { $0.name.hasPrefix("parked-") && $0.state == .suspended && !$0.frames.isEmpty } == 20)
    }

    @Test("A segment in the last page of the address space is left out", arguments: [0xfff, 0x1000] as [UInt64])
    func endsBeforeTheEnd(size: UInt64) throws {
        try moveLastSegment(to: 0xffff_ffff_ffff_f000, size: size)
        expectAll(try snapshot())
    }

    @Test("A hole of 1 TiB is not read")
    func skipsHoles() throws {
        let end = try #require(try FileManager.default.attributesOfItem(atPath: core)[.size] as? UInt64)
        let size: UInt64 = 1 << 40
        try moveLastSegment(to: 1 << 44, offset: (end + 4095) & ~4095, size: size)
        try #require(truncate(core, Int((end + 4095) & ~4095 + size)) == 0)
        let snapshot = try snapshot()
        expectAll(snapshot)
        #expect(snapshot.counts.reads + snapshot.counts.lookups < 100_000, "\(snapshot.counts)")
    }

    @Test("A core file that is cut off while it is open does not end the reader")
    func survivesACut() throws {
        let process = try RemoteProcess(core: core, program: program)
        try #require(truncate(core, 4096) == 0)
        // Its contents are gone. Whether the runtime is still found depends on the pages that the program's file has.
        let tasks = (try? Snapshot(of: process))?.tasks ?? []
        #expect(tasks.isEmpty)
        #expect(throws: SnapshotProblem.self) { try snapshot() }
    }
}
