import Foundation
import Synchronization
import Testing

@testable import TaskEvents

/// Lanes of threads that start and end. Each test runs in a process of its own, because other suites' threads take lanes too.
struct LaneHandOverTests {
    @Test func aThousandConsecutiveThreadsShareALane() async {
        await #expect(processExitsWith: .success) {
            let bus = try EventBus.small(laneLimit: 64, laneCapacity: 4095)
            bus.start()
            for number in 0..<1000 {
                onThread { LaneTests.emit(UInt64(number)) }
            }
            bus.stop()
            #expect(bus.laneCount == 1)
            #expect(bus.unplaced == 0)
            let (events, lost) = bus.all(lane: 0)
            #expect(lost == 0)
            #expect(events.compactMap { LaneTests.number(of: $0) } == (0..<1000).map { $0 })
            #expect(events.count { $0.kind == .thread } == 1000)
        }
    }

    @Test func concurrentThreadsHaveALaneEach() async {
        await #expect(processExitsWith: .success) {
            let bus = try EventBus.small(laneLimit: 64, laneCapacity: 4095)
            bus.start()
            for round in 0..<100 {
                onThreads((0..<10).map { thread in { LaneTests.emit(UInt64(round * 10 + thread)) } })
            }
            bus.stop()
            #expect(bus.laneCount <= 10)
            let numbers = (0..<bus.laneCount).flatMap { bus.all(lane: $0).events }.compactMap { LaneTests.number(of: $0) }
            #expect(numbers.sorted() == (0..<1000).map { $0 })
        }
    }

    /// A lane with unread records is reused last: nothing unread is overwritten while there is room elsewhere.
    @Test func aFullLaneIsReusedLast() async {
        await #expect(processExitsWith: .success) {
            let bus = try EventBus.small(laneLimit: 3, laneCapacity: 127)
            bus.start()
            for thread in 0..<3 {
                onThread { for number in 0..<100 { LaneTests.emit(UInt64(thread * 100 + number)) } }
            }
            #expect(bus.laneCount == 3)
            // A lane whose records have been read is as good as new.
            var next: UInt64 = 0, events: [TaskEvent] = []
            _ = bus.read(lane: 1, from: &next, into: &events, limit: 1000)
            onThread { LaneTests.emit(1000) }
            #expect(bus.lane(of: task(1000)) == 1)
            bus.stop()
        }
    }

    @Test func threadsWithoutALaneAreCounted() async {
        await #expect(processExitsWith: .success) {
            let bus = try EventBus.small(laneLimit: 2, laneCapacity: 4095)
            bus.start()
            let arrived = Atomic<Int>(0)
            onThreads(
                (0..<5).map { thread in
                    {
                        // Each thread lives until all have emitted.
                        for number in 0..<10 { LaneTests.emit(UInt64(thread * 10 + number)) }
                        arrived.add(1, ordering: .acquiringAndReleasing)
                        while arrived.load(ordering: .acquiring) < 5 { sched_yield() }
                    }
                })
            bus.stop()
            #expect(bus.laneCount == 2)
            #expect(bus.unplaced == 30)
            let numbers = (0..<2).flatMap { bus.all(lane: $0).events }.compactMap { LaneTests.number(of: $0) }
            #expect(numbers.count == 20)
        }
    }

    @Test func aThreadWithoutALaneTriesAgain() async {
        await #expect(processExitsWith: .success) {
            let bus = try EventBus.small(laneLimit: 1)
            bus.start()
            let stage = Atomic<Int>(0)
            @Sendable func reach(_ number: Int) { stage.store(number, ordering: .releasing) }
            @Sendable func wait(for number: Int) { while stage.load(ordering: .acquiring) < number { sched_yield() } }
            let late = Thread {
                wait(for: 1)
                LaneTests.emit(2)
                reach(2)
                wait(for: 3)
                LaneTests.emit(3)
                reach(4)
            }
            late.start()
            onThread {
                LaneTests.emit(1)
                reach(1)
                wait(for: 2)
            }
            reach(3)
            wait(for: 4)
            bus.stop()
            #expect(bus.unplaced == 1)
            #expect(bus.all(lane: 0).events.compactMap { LaneTests.number(of: $0) } == [1, 3])
        }
    }

    /// Swift hides `fork`. A forked child writes to none of its parent's lanes.
    @Test func aForkedChildDoesNotRecord() async {
        await #expect(processExitsWith: .success) {
            typealias Fork = @convention(c) () -> pid_t
            let symbol = try #require(dlsym(nil, "fork"))
            let fork = unsafeBitCast(symbol, to: Fork.self)
            let bus = try EventBus.small()
            bus.start()
            LaneTests.emit(1)
            let child = fork()
            if child == 0 {
                let isRecording = EventBus.isRecording
                LaneTests.emit(2)
                let heldByChild = bus.all(lane: 0).events.compactMap { LaneTests.number(of: $0) }
                _exit(!isRecording && heldByChild == [1] ? 0 : 1)
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            #expect(status == 0)
            LaneTests.emit(3)
            bus.stop()
            #expect(bus.all(lane: 0).events.compactMap { LaneTests.number(of: $0) } == [1, 3])
        }
    }
}
