import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

#if canImport(Glibc)
    import Glibc
#endif

/// Emits into the process's one active bus, so the tests run one after another.
@Suite(.serialized, RecordingAlone())
struct LaneTests {
    private func smallBus(laneLimit: UInt32 = 8, capacity: UInt32 = 63) throws -> EventBus {
        try EventBus(EventBus.Options(laneLimit: laneLimit, laneCapacity: capacity, entryLimit: 256, entryBytes: 1 << 16))
    }

    /// Runs a body on a new thread and waits for it.
    private func onThread(_ body: @escaping @Sendable () -> Void) throws {
        try WorkerThread(body).join()
    }

    private func drained(_ merger: inout LaneMerger) -> TraceBatch {
        var all = TraceBatch()
        merger.drain { batch in
            all.events += batch.events
            all.lanes += batch.lanes
            all.lost += batch.lost
        }
        return all
    }

    @Test(arguments: [0, 1, 63, 64, 200, 10_000])
    func anOverrunIsCountedExactly(emitted: Int) throws {
        let bus = try smallBus()
        bus.start()
        try onThread {
            for number in 0..<emitted { Emit.resumed(TaskID(rawValue: UInt64(number + 1))) }
        }
        bus.stop()
        var merger = LaneMerger(source: bus)
        let batch = drained(&merger)
        // The lane's own record names the thread that took it.
        let total = emitted == 0 ? 0 : emitted + 1
        let kept = min(total, Int(bus.laneCapacity))
        #expect(batch.lost == UInt64(total - kept))
        #expect(batch.events.count == kept + (total > kept ? 1 : 0))
        if total > kept {
            #expect(batch.events.first?.kind == .lost)
            #expect(batch.events.first?.other == UInt64(total - kept))
        }
        let store = TraceStore()
        store.apply(batch)
        #expect(store.lostCount == UInt64(total - kept))
        #expect(store.toldCount == kept)
    }

    @Test func eventsOfSeveralLanesAreMergedByTime() throws {
        let bus = try smallBus(capacity: 4095)
        bus.start()
        let threads = try (0..<4 as Range<UInt64>).map { thread in
            try WorkerThread {
                for number in 0..<1000 as Range<UInt64> { Emit.resumed(TaskID(rawValue: thread * 1000 + number + 1)) }
            }
        }
        var merger = LaneMerger(source: bus)
        var all = TraceBatch()
        for _ in 0..<20 {
            let batch = merger.round()
            all.events += batch.events
            all.lanes += batch.lanes
        }
        for thread in threads { thread.join() }
        let rest = drained(&merger)
        all.events += rest.events
        all.lanes += rest.lanes
        bus.stop()

        let resumed = all.events.filter { $0.kind == .resumed }
        #expect(resumed.count == 4000)
        #expect(Set(resumed.map(\.task)).count == 4000)
        #expect(all.lanes.count == all.events.count)
        for thread in 0..<4 as Range<UInt64> {
            let tasks = resumed.map(\.task.rawValue).filter { ($0 - 1) / 1000 == thread }
            #expect(tasks == Array(thread * 1000 + 1...thread * 1000 + 1000), "thread \(thread)")
        }
        // The records of the last drain were all there when it began, so they are in one order.
        #expect(rest.events.map(\.time) == rest.events.map(\.time).sorted())
    }

    @Test func aPoolThatChurnsThreadsReusesLanes() throws {
        let bus = try smallBus(laneLimit: 4)
        bus.start()
        var merger = LaneMerger(source: bus)
        var counted = 0
        for number in 0..<50 as Range<UInt64> {
            try onThread { for _ in 0..<10 { Emit.resumed(TaskID(rawValue: number + 1)) } }
            counted += merger.round().events.count { $0.kind == .resumed }
        }
        bus.stop()
        counted += drained(&merger).events.count { $0.kind == .resumed }
        #expect(counted == 500)
        #expect(bus.laneCount <= 2)
    }

    @Test func eventsOfThreadsWithoutALaneAreCountedAsLost() throws {
        let bus = try smallBus(laneLimit: 1)
        bus.start()
        Emit.resumed(TaskID(rawValue: 1))
        try onThread { for _ in 0..<5 { Emit.resumed(TaskID(rawValue: 2)) } }
        bus.stop()
        var merger = LaneMerger(source: bus)
        let batch = drained(&merger)
        #expect(batch.lost == 5)
        #expect(batch.events.count { $0.kind == .resumed } == 1)
        let store = TraceStore()
        store.apply(batch)
        #expect(store.lostCount == 5)
    }

    @Test func theCollectorMissesNothingOfRealThreads() throws {
        let bus = try EventBus()
        let collector = TraceCollector(source: bus)
        bus.start()
        try collector.start()
        let label = Emit.label(name: "work", or: "work", fileID: "App/main.swift", line: 7)
        let threads = try (0..<3 as Range<UInt64>).map { thread in
            try WorkerThread {
                for number in 0..<20_000 as Range<UInt64> {
                    let task = TaskID(rawValue: number * 3 + thread + 1)
                    Emit.created(task, kind: .root, label: label)
                    Emit.started(task, on: .none, .inline)
                    Emit.completed(task)
                }
            }
        }
        for thread in threads { thread.join() }
        collector.finish()
        bus.stop()

        let store = TraceStore()
        for batch in collector.take() { store.apply(batch) }
        #expect(store.lostCount == 0)
        #expect(store.taskCount == 60_000)
        #expect(store.count(of: .succeeded) == 60_000)
        #expect(store.synthesisedCount == 0)
        #expect(store.task(TaskID(rawValue: 60_000))?.label == Label(name: "work", file: "App/main.swift", line: 7))
        #expect(collector.take().isEmpty)
    }

    @Test func theCollectorDeliversWhileTheProgramRuns() throws {
        let bus = try smallBus(capacity: 1023)
        let collector = TraceCollector(source: bus)
        bus.start()
        try collector.start()
        let store = TraceStore()
        for number in 1...5 as ClosedRange<UInt64> {
            Emit.created(TaskID(rawValue: number), kind: .source, label: .none)
            while store.taskCount < Int(number) {
                for batch in collector.take() { store.apply(batch) }
                sched_yield()
            }
        }
        collector.finish()
        bus.stop()
        #expect(store.count(of: .pending) == 5)
    }

    @Test func aCollectorWithoutAReaderStopsAndTheLossIsCounted() throws {
        let bus = try EventBus(EventBus.Options(laneLimit: 2, laneCapacity: 65_535, entryLimit: 64, entryBytes: 4096))
        let collector = TraceCollector(source: bus)
        bus.start()
        try collector.start()
        let emitted = 4_000_000
        try onThread { for _ in 0..<emitted { Emit.resumed(TaskID(rawValue: 1)) } }
        collector.finish()
        bus.stop()
        let batches = collector.take()
        let events = batches.reduce(0) { $0 + $1.events.count { $0.kind == .resumed } }
        let lost = batches.reduce(0) { $0 + $1.lost }
        #expect(events + Int(lost) == emitted + 1 - batches.reduce(0) { $0 + $1.events.count { $0.kind == .thread } })
        #expect(events * MemoryLayout<TaskEvent>.stride < TraceCollector.queueLimit + (8 << 20))
    }
}
