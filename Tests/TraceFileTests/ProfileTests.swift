import TaskEvents
import Testing
import TraceTestKit
import TraceTransport

@testable import TraceFile

/// The samples and context switches of a recording.
@Suite struct ProfileTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private static let events = RandomTrace(seed: 3, tasks: 200, isComplete: true).trace

    private func profile(from start: UInt64) -> ThreadProfile {
        var profile = ThreadProfile(hertz: 99)
        let stacks = [[CodeAddress(module: "/usr/bin/größe", offset: 64), CodeAddress(module: "", offset: 0)], []]
        for time in start..<start + 50 {
            profile.append(.init(time: time, thread: 7, kind: time % 2 == 0 ? .resumed : .preempted))
            profile.appendSample(of: UInt32(time % 3), at: time, stacks[Int(time % 2)])
        }
        profile.append(.init(time: start + 50, thread: 0, kind: .lost, value: 4))
        profile.append(.init(time: start + 51, thread: 0, kind: .unswitched, value: 73_000))
        return profile
    }

    private func write(to path: String, finishing: Bool = true) throws {
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 1))
        let trace = Self.events
        writer.write(trace.entries)
        try writer.write(TraceBatch(events: Array(trace.events.prefix(100)), lanes: Array(trace.lanes.prefix(100))))
        try writer.write(profile(from: 0))
        try writer.write(TraceBatch(events: Array(trace.events.dropFirst(100)), lanes: Array(trace.lanes.dropFirst(100))))
        try writer.write(profile(from: 1000))
        if finishing { try writer.finish() } else { try writer.flush() }
    }

    @Test("A profile in several parts is read back as one, by the index and from block to block", arguments: [true, false])
    func roundTrip(isFinished: Bool) throws {
        let path = folder.path("a.hop")
        try write(to: path, finishing: isFinished)
        let reader = try TraceFileReader(path: path)
        #expect(reader.hasProfile && reader.damage.isEmpty)
        #expect(reader.allEvents == Self.events.allEvents)
        let read = try #require(reader.profile())
        var expected = profile(from: 0)
        expected.append(profile(from: 1000))
        #expect(read.hertz == 99)
        #expect(read.stacks == expected.stacks)
        #expect("\(read.records)" == "\(expected.records)")
    }

    @Test("A profile that is too large for a block is several blocks, which are read back as one profile", arguments: [0, 400, 1000])
    func parts(limit: Int) throws {
        let whole = profile(from: 0)
        let parts = TraceFileProfile.payloads(of: whole, limit: limit)
        #expect(parts.count > 2 && parts.reduce(0) { $0 + $1.count } == whole.records.count)
        #expect(parts.allSatisfy { $0.bytes.count <= limit || $0.count == 1 })
        var read = ThreadProfile(hertz: 99)
        for part in parts { read.append(try #require(part.bytes.withUnsafeBytes { TraceFileProfile.read($0) })) }
        #expect(read.stacks == whole.stacks)
        #expect("\(read.records)" == "\(whole.records)")
    }

    @Test("A recording without a profile has none")
    func none() throws {
        let path = folder.path("a.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 1))
        try writer.finish()
        let reader = try TraceFileReader(path: path)
        #expect(!reader.hasProfile && reader.profile() == nil)
    }

    @Test("No payload makes the reader trap: every cut of one, and each of its bytes changed, is read or refused")
    func hostile() {
        let payload = TraceFileProfile.payload(of: profile(from: 0))
        for size in 0..<min(payload.count, 600) {
            _ = payload.prefix(size).withUnsafeBytes { TraceFileProfile.read($0) }
        }
        for index in payload.indices {
            for byte in [0, 0x7F, 0xFF] as [UInt8] {
                var changed = payload
                changed[index] = byte
                _ = changed.withUnsafeBytes { TraceFileProfile.read($0) }
            }
        }
        #expect(payload.withUnsafeBytes { TraceFileProfile.read($0) }?.records.count == 102)
    }
}
