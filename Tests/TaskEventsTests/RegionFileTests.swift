import CTraceLanes
import Foundation
import TaskEvents
import Testing

/// Regions written by one process and read by another. What emits does so in a process of its own: the lanes are the process's.
@Suite struct RegionFileTests {
    @Test func anotherProcessReadsWhatOneLeft() async throws {
        let folder = RegionFolder()
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let bus = try EventBus(.small(capacity: 1023), in: TraceDirectory(path: path))
            bus.start()
            let net = Emit.register(executor: "net", kind: .pool)
            let label = Emit.label(name: "saveRecord", or: "", file: "App/Save.swift", line: 12)
            Emit.created(TaskID(rawValue: 1), kind: .root, label: label, executor: net)
            Emit.faulted(TaskID(rawValue: 1), error: Emit.error(Throttled()), .thrown)
            emit(2...500)
            try bus.publish()
            quick_exit(0)
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

    @Test(arguments: [62, 63, 64, 200, 10_000] as [UInt64])
    func anOverrunIsCountedExactly(emitted: UInt64) async throws {
        let folder = RegionFolder()
        await #expect(processExitsWith: .success) { [path = folder.path as String, emitted = emitted as UInt64] in
            let bus = try EventBus(.small(), in: TraceDirectory(path: path))
            bus.start()
            emit(1...emitted)
            try bus.publish()
            quick_exit(0)
        }
        let region = try RegionFile(path: try #require(folder.directory.traces().first).path)
        let contents = LaneContents(of: region, limit: 7)
        // The lane's own record says which thread took it.
        let kept = min(emitted + 1, 63)
        #expect(contents.lost == emitted + 1 - kept)
        #expect(UInt64(contents.events.count) == kept)
        #expect(contents.numbers.last == emitted)
        let span = region.kept()
        #expect(span.overrun == contents.lost)
        #expect(span.oldest == contents.events.first?.time)
        #expect(span.completeSince == (contents.lost == 0 ? 0 : contents.events.first?.time))
    }

    /// A ring begins with 8,192 records and doubles; no step of it may lose, repeat or mistake one.
    @Test func aRingThatGrowsHoldsEveryRecord() async throws {
        let folder = RegionFolder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
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
        let contents = LaneContents(of: try RegionFile(path: try #require(folder.directory.traces().first).path))
        #expect(contents.lost == 0)
        #expect(contents.numbers == Array(1...60_000))
    }

    @Test func lanesAreReadWhileAnotherProcessWritesThem() async throws {
        let folder = RegionFolder()
        async let ended: Void = {
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
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
        }()
        let directory = try folder.directory
        var trace = directory.traces().first
        while trace == nil {
            await Task.yield()
            trace = directory.traces().first
        }
        #expect(trace?.writer == .recording)
        #expect(directory.trace(ofProcess: trace!.pid)?.path == trace?.path)
        let region = try RegionFile(path: trace!.path)
        var next: UInt64 = 0
        var lost: UInt64 = 0
        var seen: UInt64 = 0
        while seen < 2_000_000 {
            var events: [TaskEvent] = []
            let before = next
            let horizon = region.now
            lost += region.read(lane: 0, from: &next, into: &events, limit: 4096)
            // Each number is one more than the one before it, but where the reader fell behind; and its record's own number says which.
            for event in events where event.kind == .resumed {
                try #require(event.task.rawValue > seen)
                seen = event.task.rawValue
            }
            if let last = events.last, last.kind == .resumed {
                #expect(last.task.rawValue == next - 1)
                #expect(last.time < horizon + 10_000_000_000)
            }
            if next == before { await Task.yield() }
        }
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/enough", contents: nil))
        await ended
        #expect(region.writer == .ended)
    }

    @Test func aRegionIsHiddenUntilItIsPublishedAndAfterItIsWithdrawn() async throws {
        await #expect(processExitsWith: .success) {
            let folder = RegionFolder()
            let directory = try folder.directory
            var bus: EventBus? = try EventBus(.small(program: "a/b c"), in: directory)
            let stem = "\(getpid())-a_b_c"
            #expect(folder.names == [".\(stem).hoplanes"])
            #expect(directory.traces().isEmpty)
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
            let folder = RegionFolder()
            let bus = try EventBus(.small(), in: folder.directory)
            bus.start()
            // Before the parent's first event: nothing has been prepared by emitting.
            let child = try #require(forkAndEmit() as pid_t?)
            var status: Int32 = 0
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            #expect(bus.recordCount == 0)
            #expect(folder.names.count == 1)
        }
    }

    @Test func aDiskThatIsFullLosesEventsAndNothingElse() async throws {
        await #expect(processExitsWith: .success) {
            let folder = RegionFolder()
            // A file system of its own, where this user may have one.
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
            // Threads that come now find no lane.
            WorkerThread(name: "late") { emit(1...50) }.join()
            #expect(bus.unplaced == 50)
            // Names take room as well.
            for number in 0..<2000 { Emit.mark("\(number) " + String(repeating: "x", count: 1000)) }
            #expect(bus.entriesRefused > 0)
        }
    }
}

private struct Throttled: Error, CustomStringConvertible {
    let description = "too many requests"
}

/// Forks a child that emits and ends; Swift does not let itself be forked by name.
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
