import CTraceLanes
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// Which regions belong to live processes, and when those of ended processes are deleted.
@Suite struct RegionDirectoryTests {
    /// Leaves the region of an ended process. Its last record has the time of the end.
    private func leave(
        _ program: String, in folder: RegionFolder, publishing: Bool = true, withdrawing: Bool = false
    ) async throws {
        await passing(folder.path, program, publishing, withdrawing) {
            await #expect(processExitsWith: .success) {
                let (path, program, publishing, withdrawing) = try passed(String.self, String.self, Bool.self, Bool.self)
                let bus = try EventBus(.small(program: program), in: TraceDirectory(path: path))
                bus.start()
                emit(1...10)
                if publishing { try bus.publish() }
                if withdrawing { bus.withdraw() }
                quick_exit(0)
            }
        }
    }

    private func change(_ path: String, _ field: PartialKeyPath<trace_header>, to value: UInt64, width: Int) {
        var value = value
        let file = open(path, O_RDWR)
        #expect(pwrite(file, &value, width, MemoryLayout<trace_header>.offset(of: field)!) == width)
        close(file)
    }

    @Test func aReusedProcessIDIsNotTheWriter() async throws {
        let folder = try RegionFolder()
        try await leave("old", in: folder)
        let path = try #require(folder.directory.traces().first).path
        // The current process has the id and began at another time.
        change(path, \.pid, to: UInt64(getpid()), width: 4)
        #expect(try RegionFile(path: path).writer == .ended)
        #expect(try folder.directory.trace(ofProcess: getpid()) == nil)
        change(path, \.process_start, to: trace_process_start(UInt32(getpid())), width: 8)
        #expect(try RegionFile(path: path).writer == .recording)
        #expect(try folder.directory.trace(ofProcess: getpid())?.path == path)
        // In another container the id means nothing.
        change(path, \.pid_namespace, to: 1, width: 8)
        #expect(try RegionFile(path: path).writer == .elsewhere)
        // The writer began before the machine started.
        change(path, \.boot, to: 0x0123_4567_89AB_CDEF, width: 8)
        #expect(try RegionFile(path: path).writer == .ended)
    }

    /// Zeros stand for a boot that is not known.
    private func forgetBoot(_ path: String) throws {
        let offset = try #require(MemoryLayout<trace_header>.offset(of: \.boot))
        let file = open(path, O_RDWR)
        #expect(pwrite(file, [UInt8](repeating: 0, count: 16), 16, off_t(offset)) == 16)
        close(file)
    }

    @Test func aRegionOfAnUnknownBootIsJudgedByItsContainerAndProcess() async throws {
        let folder = try RegionFolder()
        try await leave("old", in: folder)
        let path = try #require(folder.directory.traces().first).path
        try forgetBoot(path)
        #expect(try RegionFile(path: path).writer == .ended)
        change(path, \.pid, to: UInt64(getpid()), width: 4)
        change(path, \.process_start, to: trace_process_start(UInt32(getpid())), width: 8)
        #expect(try RegionFile(path: path).writer == .recording)
        change(path, \.pid_namespace, to: 1, width: 8)
        #expect(try RegionFile(path: path).writer == .elsewhere)
    }

    @Test func aRegionOfAnUnknownBootIsNotPruned() async throws {
        let folder = try RegionFolder()
        try await leave("old", in: folder)
        let path = try #require(folder.directory.traces().first).path
        let count = Int(TRACE_KEPT_REGIONS) + 4
        for number in 1..<count { try FileManager.default.copyItem(atPath: path, toPath: "\(folder.path)/\(number)-old.hoplanes") }
        let directory = open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(directory) }
        for name in folder.names { try forgetBoot("\(folder.path)/\(name)") }
        trace_prune(directory)
        #expect(folder.names.count == count)
        // A boot that is known to be another one ends them all.
        for name in folder.names { change("\(folder.path)/\(name)", \.boot, to: 0x0123_4567_89AB_CDEF, width: 8) }
        trace_prune(directory)
        #expect(folder.names.count == Int(TRACE_KEPT_REGIONS))
    }

    @Test func liveProcessesComeFirstThenTheLatestEnded() async throws {
        let folder = try RegionFolder()
        try await leave("first", in: folder)
        try await leave("second", in: folder)
        let directory = try folder.directory
        let bus = try EventBus(.small(program: "living"), in: directory)
        try bus.publish()
        try await leave("third", in: folder)
        #expect(directory.traces().map(\.program) == ["living", "third", "second", "first"])
        #expect(directory.traces().map(\.writer) == [.recording, .ended, .ended, .ended])
        withExtendedLifetime(bus) {}
    }

    @Test func endedRegionsAreKeptUpToACountAnAgeAndASize() async throws {
        let folder = try RegionFolder()
        for program in ["a", "b", "c", "d"] { try await leave(program, in: folder) }
        let directory = try folder.directory
        let bus = try EventBus(.small(program: "living"), in: directory)
        try bus.publish()
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/notes.txt", contents: Data()))
        let now = Int(directory.traces()[0].startRealtime / 1_000_000_000)

        #expect(directory.prune(now: now).isEmpty)
        var three = TraceKeeping()
        three.files = 3
        #expect(directory.prune(three, now: now).count == 1)
        #expect(directory.traces().map(\.program) == ["living", "d", "c", "b"])

        let sizes = directory.traces().dropFirst().map(\.bytes)
        var two = TraceKeeping()
        two.bytes = sizes[0] + sizes[1]
        #expect(directory.prune(two, now: now).count == 1)
        #expect(directory.traces().map(\.program) == ["living", "d", "c"])

        #expect(directory.prune(now: now + 7 * 24 * 3600 - 1000).isEmpty)
        #expect(directory.prune(now: now + 7 * 24 * 3600 + 1000).count == 2)
        #expect(directory.traces().map(\.program) == ["living"])
        #expect(folder.names.contains("notes.txt"))
        withExtendedLifetime(bus) {}
    }

    @Test func anUnpublishedRegionIsDeletedWithItsProcess() async throws {
        let folder = try RegionFolder()
        try await leave("nameless", in: folder, publishing: false)
        #expect(folder.names.isEmpty)
    }

    @Test func aWithdrawnRegionIsDeletedAfterItsProcessHasEnded() async throws {
        let folder = try RegionFolder()
        try await leave("hidden", in: folder, withdrawing: true)
        let directory = try folder.directory
        let hidden = try EventBus(.small(program: "recording"), in: directory)
        try hidden.publish()
        hidden.withdraw()
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/7-gone.control", contents: Data()))
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(getpid())-recording.control", contents: Data()))
        #expect(folder.names.count == 4)
        #expect(directory.prune(now: 0).count == 2)
        #expect(folder.names == [".\(getpid())-recording.hoplanes", "\(getpid())-recording.control"])
        try hidden.publish()
        #expect(folder.names == ["\(getpid())-recording.control", "\(getpid())-recording.hoplanes"])
    }

    @Test func publishersWithOneNameHaveAFileEach() throws {
        let folder = try RegionFolder()
        let buses = try (1...3).map { _ in try EventBus(.small(program: "same"), in: folder.directory) }
        #expect(folder.names.isEmpty)
        try buses[0].publish()
        buses[0].withdraw()
        try buses[1].publish()
        try buses[2].publish()
        try buses[0].publish()
        #expect(Set(buses.map(\.fileName)).count == 3)
        #expect(folder.names == buses.map(\.fileName).sorted())
    }

    @Test func aPoolThatChurnsThreadsDoesNotGrowTheFile() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            let bus = try EventBus(.small(lanes: 64), in: folder.directory)
            bus.start()
            for number in 0..<200 as Range<UInt64> {
                try WorkerThread(name: "churn") { emit(number * 100 + 1...number * 100 + 100) }.join()
            }
            #expect(bus.laneCount == 16)
            let contents = LaneContents(of: bus)
            #expect(contents.lost + UInt64(contents.events.count) == 200 * 101)
            #expect(contents.numbers.contains(20_000))
        }
    }
}
