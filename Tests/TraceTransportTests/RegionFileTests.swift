import CTraceLanes
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// One process writes a region and another reads it. The emitting side runs in a process of its own, because lanes belong to the process.
@Suite struct RegionFileTests {
    @Test func anotherProcessReadsARegion() async throws {
        let folder = try RegionFolder()
        let path = folder.path
        await passing(path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(capacity: 1023), in: TraceDirectory(path: path))
                bus.start()
                let net = Emit.register(executor: "net", kind: .pool)
                let label = Emit.label(name: "saveRecord", or: "", fileID: "App/Save.swift", line: 12)
                Emit.created(TaskID(rawValue: 1), kind: .root, label: label, executor: net)
                Emit.faulted(TaskID(rawValue: 1), error: Emit.error(Throttled()), .thrown)
                emit(2...500)
                try bus.publish()
                quick_exit(0)
            }
        }
        let traces = try folder.directory.traces()
        let trace = try #require(traces.first)
        #expect(traces.count == 1)
        #expect(trace.program == "little one")
        #expect(trace.writer == .ended)
        #expect(trace.recordCount == 502)
        #expect(trace.path == "\(path)/\(trace.pid)-little_one.hoplanes")

        let region = try RegionFile(path: trace.path)
        let contents = LaneContents(of: region)
        #expect(contents.lost == 0)
        #expect(contents.numbers == Array(2...500))
        #expect(contents.events.first?.kind == .thread)
        #expect(contents.events.map(\.time) == contents.events.map(\.time).sorted())
        #expect(contents.events.last?.time == region.now)
        let created = try #require(contents.events.first { $0.kind == .created })
        #expect(contents.entries.label(created.label) == Label(name: "saveRecord", file: "App/Save.swift", line: 12))
        #expect(contents.entries.executor(created.executor) == ExecutorDescription(name: "net", kind: .pool))
        let faulted = try #require(contents.events.first { $0.kind == .faulted })
        #expect(contents.entries.error(faulted.label) == ErrorDescription(type: "Throttled", message: "too many requests"))
        #expect(region.kept() == KeptSpan(oldest: contents.events[0].time))
    }

    /// The readers of a trace that has ended have its own anchors: one of each lane's beginning, each full ring, and the exit.
    @Test func anEndedTraceHasOneTimeForAllReaders() async throws {
        let folder = try RegionFolder()
        await passing(folder.path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                emit(1...200)
                try bus.publish()
                // A reader in the process takes anchors of its own, and one in another process too.
                let live = LaneContents(of: bus), other = try LaneContents(of: RegionFile(path: "\(path)/\(bus.fileName)"))
                #expect(live.numbers == other.numbers && !live.numbers.isEmpty)
                for (one, two) in zip(live.events, other.events) { #expect(abs(Int(one.time) - Int(two.time)) < 100_000) }
                // The bus would remove the file at its end.
                _ = Unmanaged.passRetained(bus)
                exit(0)
            }
        }
        let path = try #require(folder.directory.traces().first).path
        let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(MemoryLayout<trace_header>.size)
        let raw = header.withUnsafeBytes { $0.loadUnaligned(as: trace_header.self) }
        if raw.clock == TRACE_CLOCK_COUNTER.rawValue {
            // The lane, the ring at 64, 128 and 192 records, and the exit.
            #expect(raw.anchor_count == 5)
            #expect(raw.anchors.0.ticks > raw.anchors.1.ticks && raw.anchors.0.monotonic_ns > raw.anchors.1.monotonic_ns)
        }
        let (first, second) = try (RegionFile(path: path), RegionFile(path: path))
        #expect(LaneContents(of: first).events.map(\.time) == LaneContents(of: second).events.map(\.time))
        #expect(first.now == second.now && first.now > 0)
    }

    @Test(arguments: [62, 63, 64, 200, 10_000] as [UInt64])
    func anOverrunIsCountedExactly(emitted: UInt64) async throws {
        let folder = try RegionFolder()
        await passing(folder.path, emitted) {
            await #expect(processExitsWith: .success) {
                let (path, emitted) = try passed(String.self, UInt64.self)
                let bus = try EventBus(.small(), in: TraceDirectory(path: path))
                bus.start()
                emit(1...emitted)
                try bus.publish()
                quick_exit(0)
            }
        }
        let region = try RegionFile(path: try #require(folder.directory.traces().first).path)
        let contents = LaneContents(of: region, limit: 7)
        // The lane's own record names the thread that took it.
        let kept = min(emitted + 1, 63)
        #expect(contents.lost == emitted + 1 - kept)
        #expect(UInt64(contents.events.count) == kept)
        #expect(contents.numbers.last == emitted)
        let span = region.kept()
        #expect(span.overrun == contents.lost)
        #expect(span.oldest == contents.events.first?.time)
        #expect(span.completeSince == (contents.lost == 0 ? 0 : contents.events.first?.time))
    }

    /// A ring starts with 8,192 records and doubles; no growth may lose, repeat or reorder one.
    @Test func aGrowingRingKeepsEveryRecord() async throws {
        let folder = try RegionFolder()
        await passing(folder.path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let bus = try EventBus(EventBus.Options(laneLimit: 4, laneCapacity: 65_535), in: TraceDirectory(path: path))
                bus.start()
                for end in [8189, 8190, 8191, 8192, 8193, 16_383, 16_384, 16_385, 60_000] as [UInt64] {
                    var next: UInt64 = 0
                    var events: [TaskEvent] = []
                    let begun = bus.laneCount == 0 ? 0 : bus.recordCount - 1
                    emit(begun + 1...end)
                    #expect(bus.read(lane: 0, from: &next, into: &events, limit: 100_000) == 0)
                    #expect(events.dropFirst().map(\.task.rawValue) == Array(1...end))
                }
                try bus.publish()
                quick_exit(0)
            }
        }
        let contents = LaneContents(of: try RegionFile(path: try #require(folder.directory.traces().first).path))
        #expect(contents.lost == 0)
        #expect(contents.numbers == Array(1...60_000))
    }

    @Test func lanesAreReadWhileAnotherProcessWritesThem() async throws {
        let folder = try RegionFolder()
        let reader = try Onlooker { isOver in
            defer { _ = FileManager.default.createFile(atPath: "\(folder.path)/enough", contents: nil) }
            return folder.waitForTrace(unless: isOver).flatMap { LiveReading(of: $0, records: 2_000_000, unless: isOver) }
        }
        await passing(folder.path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(capacity: 65_535), in: TraceDirectory(path: path))
                bus.start()
                try bus.publish()
                var number: UInt64 = 0
                while access("\(path)/enough", F_OK) != 0 {
                    emit(number + 1...number + 1000)
                    number += 1000
                }
                quick_exit(0)
            }
        }
        let reading = try #require(reader.finish())
        #expect(reading.writer == .recording)
        #expect(reading.isFoundByNumber)
        #expect(reading.misplaced == 0)
        #expect(reading.taken + reading.lost == reading.seen + 1)
        #expect(reading.seen >= 2_000_000)
        #expect(try RegionFile(path: reading.path).writer == .ended)
    }

    @Test func aRegionIsHiddenBeforePublicationAndAfterWithdrawal() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            let directory = try folder.directory
            var bus: EventBus? = try EventBus(.small(program: "a/b c"), in: directory)
            let stem = "\(getpid())-a_b_c"
            #expect(folder.names.isEmpty)
            try bus?.publish()
            try bus?.publish()
            #expect(folder.names == ["\(stem).hoplanes"])
            var status = stat()
            #expect(lstat("\(folder.path)/\(stem).hoplanes", &status) == 0)
            #expect(status.st_mode == S_IFREG | 0o600)

            let second = try EventBus(.small(program: "a/b c"), in: directory)
            try second.publish()
            #expect(folder.names == ["\(stem).2.hoplanes", "\(stem).hoplanes"])
            let reader = try RegionFile(named: "\(stem).hoplanes", in: directory)
            #expect(reader.writer == .recording)
            bus?.withdraw()
            #expect(reader.writer == .withdrawn)
            #expect(folder.names == [".\(stem).hoplanes", "\(stem).2.hoplanes"])
            #expect(directory.traces().map(\.path) == ["\(folder.path)/\(stem).2.hoplanes"])
            try bus?.publish()
            #expect(reader.writer == .recording)
            bus = nil
            #expect(folder.names == ["\(stem).2.hoplanes"])
            withExtendedLifetime(second) {}
        }
    }

    @Test func aForkedChildWritesNoneOfItsParentsLanes() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            let bus = try EventBus(.small(), in: folder.directory)
            try bus.publish()
            bus.start()
            // Before the parent's first event, so that emitting has prepared nothing.
            let child = try #require(forkAndEmit() as pid_t?)
            var status: Int32 = 0
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            #expect(bus.recordCount == 0)
            #expect(folder.names.count == 1)
        }
    }

    @Test func aFullDiskLosesEventsAndNothingElse() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            // A file system of its own, where this user may mount one.
            guard mount("none", folder.path, "tmpfs", 0, "size=1m,mode=0700") == 0 else { return }
            defer { umount(folder.path) }
            let bus = try EventBus(in: TraceDirectory(path: folder.path))
            bus.start()
            // Rings grow from 256 KiB: one doubling fits, the next does not.
            emit(1...100_000)
            let contents = LaneContents(of: bus, limit: 1 << 20)
            #expect(contents.numbers.last == 100_000)
            #expect(contents.lost + UInt64(contents.events.count) == 100_001)
            #expect(contents.events.count >= 8191)
            // Threads that start now find no lane.
            try WorkerThread(name: "late") { emit(1...50) }.join()
            #expect(bus.unplaced == 50)
            // Names need room as well.
            for number in 0..<2000 { Emit.mark("\(number) " + String(repeating: "x", count: 1000)) }
            #expect(bus.entriesRefused > 0)
        }
    }
}

private struct Throttled: Error, CustomStringConvertible {
    let description = "too many requests"
}

/// Forks a child that emits and ends. Swift does not export `fork`, so it is looked up by name.
private func forkAndEmit() -> pid_t? {
    typealias Fork = @convention(c) () -> pid_t
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
    let child = fork()
    if child == 0 {
        Emit.resumed(TaskID(rawValue: 7))
        _exit(0)
    }
    return child > 0 ? child : nil
}

/// A lane's events, read while it was being written.
private struct LiveReading: Sendable {
    let path: String
    let writer: WriterState
    let isFoundByNumber: Bool
    /// The last number. The lane's first record, which names its thread, has none.
    var seen: UInt64 = 0
    var taken: UInt64 = 0
    var lost: UInt64 = 0
    /// Events at a wrong place in their lane, or with a time in the future.
    var misplaced = 0

    init?(of trace: PublishedTrace, records: UInt64, unless isOver: () -> Bool) {
        path = trace.path
        writer = trace.writer
        let folder = String(trace.path[..<trace.path.lastIndex(of: "/")!])
        isFoundByNumber = (try? TraceDirectory(path: folder))?.trace(ofProcess: trace.pid)?.path == trace.path
        guard let region = try? RegionFile(path: trace.path) else { return nil }
        var next: UInt64 = 0
        while seen < records, !isOver() {
            var events: [TaskEvent] = []
            lost += region.read(lane: 0, from: &next, into: &events, limit: 4096)
            let now = region.now
            taken += UInt64(events.count)
            seen = next == 0 ? 0 : next - 1
            for (index, event) in events.enumerated() where event.kind != .thread {
                if event.task.rawValue != next - UInt64(events.count - index) || event.time > now { misplaced += 1 }
            }
        }
    }
}
