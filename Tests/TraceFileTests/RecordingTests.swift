import Foundation
import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceFile

/// A recording is read back as it was written.
@Suite struct RecordingTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    /// Many blocks of events, names in several places, an index before the end.
    private static let trace = RandomTrace(seed: 11, tasks: 3000, isComplete: true).trace

    @Test(arguments: [1, 100, 5000, 100_000])
    func aRecordingHasTheWrittenEventsAndNames(batchSize: Int) throws {
        let path = folder.path("a.hop")
        let trace = Self.trace
        let writer = try TraceFileWriter(
            path: path, header: TraceFileHeader(program: "größe", pid: 42, startRealtime: 1_700_000_000_000_000_007))
        try writer.write(trace, inBatchesOf: batchSize)
        try writer.finish()

        let reader = try TraceFileReader(path: path)
        #expect(reader.header.program == "größe")
        #expect(reader.header.pid == 42)
        #expect(reader.header.startRealtime == 1_700_000_000_000_000_007)
        #expect(reader.isComplete)
        #expect(reader.incompleteBytes == 0)
        #expect(reader.eventCount == trace.events.count)
        #expect(reader.endTime == trace.events.map(\.time).max())
        #expect(reader.allEvents == trace.allEvents)
        #expect(reader.entries.count == trace.entries.count)
        for id in 0..<trace.entries.count {
            #expect("\(reader.entries[EntryID(rawValue: id)])" == "\(trace.entries[EntryID(rawValue: id)])")
        }
        #expect(reader.damage.isEmpty)
        #expect(writer.fileSize == (try Data(contentsOf: URL(fileURLWithPath: path)).count))
    }

    @Test(arguments: [("", 0), ("123456789", 0xE306_9283), ("Hopscope", 0xFF6C_7734)] as [(String, UInt32)])
    func theChecksumIsCRC32C(text: String, expected: UInt32) {
        #expect(Array(text.utf8).withUnsafeBytes(TraceFileChecksum.of) == expected)
        // In two parts, at every place.
        for index in 0...text.utf8.count {
            var checksum = TraceFileChecksum()
            Array(text.utf8.prefix(index)).withUnsafeBytes { checksum.add($0) }
            Array(text.utf8.dropFirst(index)).withUnsafeBytes { checksum.add($0) }
            #expect(checksum.value == expected)
        }
    }

    @Test("Of several recordings to one file the first goes on, and the others are refused with a sentence")
    func severalWriters() throws {
        let path = folder.path("a.hop")
        let header = TraceFileHeader(program: "p", pid: 1, startRealtime: 0)
        var writer: TraceFileWriter? = try TraceFileWriter(path: path, header: header)
        try writer?.write(Self.trace, inBatchesOf: 5000)
        for _ in 1...2 {
            let problem = #expect(throws: TraceProblem.self) { try TraceFileWriter(path: path, header: header) }
            #expect(
                problem?.description
                    == "“\(path)” is being written by another recording; end that one, or name another file to record to.")
        }
        try writer?.finish()
        #expect(try TraceFileReader(path: path).allEvents == Self.trace.allEvents)
        writer = nil
        #expect(throws: Never.self) { try TraceFileWriter(path: path, header: header) }
    }

    @Test("A recording whose first bytes do not fit leaves no file")
    func noRoom() throws {
        let path = folder.path("none.hop")
        let problem = #expect(throws: TraceProblem.self) {
            let file = try TraceFileOutput(path: path) { _, _, _ in
                errno = ENOSPC
                return -1
            }
            _ = try TraceFileWriter(file: file, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
        }
        #expect(problem?.description.contains("the disk is full") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A recording says whether the program had ended", arguments: [true, false])
    func exit(sawExit: Bool) throws {
        let path = folder.path("a.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
        try writer.write(Self.trace, inBatchesOf: 5000)
        try writer.flush()
        let growing = try TraceFileReader(path: path)
        #expect(growing.sawExit == nil)
        try writer.finish(sawExit: sawExit)
        growing.refresh()
        #expect(growing.sawExit == sawExit)
        #expect(try TraceFileReader(path: path).sawExit == sawExit)
        let old = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Assets/versions/gini-valedictorian.v2.hop")
        #expect(try TraceFileReader(path: old.path).sawExit == nil)
    }

    @Test("What is open at the last event lasts until the time at which the recording ended")
    func knownUntil() throws {
        let path = folder.path("a.hop")
        let last = try #require(Self.trace.events.last?.time)
        for time in [0, last, last + 3_000_000_000] {
            let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
            try writer.write(Self.trace, inBatchesOf: 5000)
            let growing = try TraceFileReader(path: path)
            #expect(growing.knownUntil == 0)
            try writer.finish(at: time)
            growing.refresh()
            #expect(growing.knownUntil == max(time, last))
            let history = TraceHistory(try TraceFileReader(path: path))
            _ = history.load(limit: 5)
            #expect(history.latest.now == Self.trace.events[4].time)
            history.loadAll()
            #expect(history.latest.now == max(time, last))
        }
    }

    @Test func aRecordingsTimelineEqualsTheTraces() throws {
        let path = folder.path("a.hop")
        let trace = Self.trace
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
        try writer.write(trace, inBatchesOf: 1000)
        try writer.finish()
        var limits = TraceHistory.Limits()
        limits.keyframeInterval = 2000
        let history = TraceHistory(try TraceFileReader(path: path), limits: limits)
        // Opening reads no events; seeking reads up to the target.
        for number in [trace.events.count / 2, 7, trace.events.count - 3, 5000, 0] {
            history.seek(to: number)
            let straight = TraceStore()
            straight.entries = trace.entries
            straight.apply(TraceBatch(events: Array(trace.events.prefix(number)), lanes: Array(trace.lanes.prefix(number))))
            #expect(StateDigest(of: history.store) == StateDigest(of: straight), "event \(number)")
        }
        #expect(history.hasMore)
        #expect(history.load(limit: 2).map(\.numbers) == [trace.events.count - 2..<trace.events.count])
        history.loadAll()
        #expect(!history.hasMore)
        history.seekToLatest()
        #expect(StateDigest(of: history.store) == StateDigest(of: trace.store()))
    }

    @Test func aRecordingCanBeReadWhileItGrows() throws {
        let path = folder.path("a.hop")
        let trace = Self.trace
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
        let reader = try TraceFileReader(path: path)
        #expect(reader.eventCount == 0)
        #expect(!reader.isComplete)
        let history = TraceHistory(reader)
        writer.write(trace.entries)
        var written = 0
        for end in [100, 101, 9000, 30_000, trace.events.count] where end <= trace.events.count {
            try writer.write(TraceBatch(events: Array(trace.events[written..<end]), lanes: Array(trace.lanes[written..<end])))
            // An empty batch means that nothing comes for a while.
            try writer.write(TraceBatch())
            written = end
            #expect(reader.refresh())
            #expect(!reader.refresh())
            #expect(reader.eventCount == end)
            history.loadAll()
            #expect(history.store.eventCount == end)
        }
        try writer.finish()
        #expect(!reader.refresh())
        #expect(reader.isComplete)
        #expect(reader.allEvents == trace.allEvents)
        #expect(history.store.executors.map(\.name) == trace.store().executors.map(\.name))
    }
}

/// An event and its lane, comparable.
struct RecordedEvent: Hashable {
    var time: UInt64
    var code: UInt8
    var detail: UInt8
    var executor: UInt16
    var label: UInt32
    var task: UInt64
    var other: UInt64
    var lane: UInt16

    init(_ event: TaskEvent, lane: UInt16) {
        time = event.time
        code = event.kindCode
        detail = event.detail
        executor = event.executor.rawValue
        label = event.label.rawValue
        task = event.task.rawValue
        other = event.other
        self.lane = lane
    }
}

extension TraceBuilder {
    var allEvents: [RecordedEvent] { zip(events, lanes).map { RecordedEvent($0, lane: $1) } }
}

extension TraceFileReader {
    var allEvents: [RecordedEvent] {
        var all: [RecordedEvent] = []
        forEach(in: numbers) { all += zip($0.events, $0.lanes).map { RecordedEvent($0, lane: $1) } }
        return all
    }
}

extension TraceFileWriter {
    /// Writes a whole trace without ending the recording.
    func write(_ trace: TraceBuilder, inBatchesOf size: Int) throws {
        write(trace.entries)
        for start in stride(from: 0, to: trace.events.count, by: size) {
            let range = start..<min(start + size, trace.events.count)
            try write(TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range])))
        }
    }
}
