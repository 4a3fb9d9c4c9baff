import CTraceLanes
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// A region's file grows with the threads of its program.
@Suite struct RegionGrowthTests {
    /// `make tally` runs 4,096.
    static let threads = ProcessInfo.processInfo.environment["HOPSCOPE_TALLY_THREADS"].flatMap { Int($0) } ?? 1000

    @Test func readersFollowTheGrowth() async throws {
        await passing(Self.threads) {
            await #expect(processExitsWith: .success) {
                let threads = try passed(Int.self)
                let folder = try RegionFolder()
                let bus = try EventBus(in: folder.directory)
                bus.start()
                try bus.publish()
                let before = try RegionFile(path: "\(folder.path)/\(bus.fileName)")
                emit(1...10)
                #expect(before.laneCount == 1)
                let meeting = ThreadMeeting(of: threads)
                let all = try (1...threads).map { thread in
                    try WorkerThread {
                        emit(UInt64(thread * 10 + 1)...UInt64(thread * 10 + 10))
                        meeting.wait()
                    }
                }
                for thread in all { thread.join() }
                let after = try RegionFile(path: "\(folder.path)/\(bus.fileName)")
                for region in [before, after] {
                    let contents = LaneContents(of: region)
                    #expect(contents.lost == 0)
                    #expect(region.unplaced == 0)
                    #expect(contents.numbers.sorted() == (1...UInt64(threads * 10 + 10)).map { $0 })
                }
                #expect(bus.laneCount == UInt32(threads + 1))
                // Names, and 32 KiB for each thread.
                #expect(after.bytesOnDisk < UInt64(threads) * 36 << 10 + 16 << 20)
            }
        }
    }

    @Test func aFileHasTheSizeOfItsLanes() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            let bus = try EventBus(in: folder.directory)
            bus.start()
            try bus.publish()
            let path = "\(folder.path)/\(bus.fileName)"
            func size() throws -> Int { try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) }
            #expect(try size() < 51 << 20)
            let meeting = ThreadMeeting(of: 8)
            let all = try (0..<8).map { _ in
                try WorkerThread {
                    emit(1...200_000)
                    meeting.wait()
                }
            }
            for thread in all { thread.join() }
            #expect(bus.laneCount == 8)
            #expect(try size() <= (51 + 8 * 4) << 20)
            let region = try RegionFile(path: path)
            #expect(region.bytesOnDisk <= 33 << 20)
            let contents = LaneContents(of: region)
            #expect(contents.events.count == 8 * 131_071)
            #expect(UInt64(contents.events.count) + contents.lost == 8 * 200_001)
        }
    }

    /// A thread takes the lane of one that left exactly the ring's last slot, which the ring needs to grow.
    @Test func aLaneWithOneSlotLeftGrowsForItsNextThread() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RegionFolder()
            let bus = try EventBus(in: folder.directory)
            bus.start()
            // The lane's own record of the thread is the first of 8,191.
            try WorkerThread { emit(1...8190) }.join()
            try WorkerThread { emit(8191...20_000) }.join()
            #expect(bus.laneCount == 1)
            let contents = LaneContents(of: bus)
            #expect(contents.lost == 0)
            #expect(contents.numbers == Array(1...20_000))
        }
    }

    /// Version 1 had all lanes in its file from the start.
    @Test func aRegionOfVersionOneIsReadable() async throws {
        let folder = try RegionFolder()
        await passing(folder.path) {
            await #expect(processExitsWith: .success) {
                let path = try passed(String.self)
                let bus = try EventBus(.small(capacity: 1023), in: TraceDirectory(path: path))
                bus.start()
                emit(1...500)
                try bus.publish()
                quick_exit(0)
            }
        }
        let path = try #require(folder.directory.traces().first).path
        let file = open(path, O_RDWR)
        defer { close(file) }
        var version: UInt32 = 1
        var size = UInt64(200 << 10)
        #expect(ftruncate(file, off_t(size)) == 0)
        #expect(pwrite(file, &version, 4, MemoryLayout<trace_header>.offset(of: \.version)!) == 4)
        #expect(pwrite(file, &size, 8, MemoryLayout<trace_header>.offset(of: \.region_size)!) == 8)
        #expect(LaneContents(of: try RegionFile(path: path)).numbers == Array(1...500))
    }
}
