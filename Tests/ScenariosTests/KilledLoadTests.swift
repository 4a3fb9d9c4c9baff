import Foundation
import Scenarios
import Synchronization
import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

/// `load`, killed after a random number of its tasks: its region can be read and has every record that the program had counted, except for
/// those that it counts as overrun.
///
/// `HOPSCOPE_KILLS=200` in the environment sets how often it is killed (`make kills`).
@Suite(.serialized) struct KilledLoadTests {
    private static let kills = UInt64(ProcessInfo.processInfo.environment["HOPSCOPE_KILLS"] ?? "") ?? 6

    @Test(arguments: 1...kills)
    func everyCountedRecordIsReadOrCountedAsOverrun(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try ScratchFolder()
        // Every second program makes enough tasks to overrun its rings.
        let tasks = seed.isMultiple(of: 2) ? 1_000_000 : 20_000
        let lastCount = UInt64.random(in: 1...UInt64(min(tasks, 200_000)), using: &random)
        await passing(folder.path, lastCount, tasks) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let (path, lastCount, tasks) = try passed(String.self, UInt64.self, Int.self)
                let counts = try #require(LoadCounts(path: "\(path)/counts"))
                let bus = try EventBus(
                    EventBus.Options(laneCapacity: 16_383, program: "killed load"), in: TraceDirectory(path: path))
                bus.start()
                try bus.publish()
                let scratch = ScratchSpace()
                let stage = Stage(
                    speed: tasks > 100_000 ? 1000 : 1, tasks: tasks, scratch: scratch, time: TimeSource(),
                    note: { note in
                        counts.note(note)
                        if counts.made + counts.ended >= lastCount { kill(getpid(), SIGKILL) }
                    }, output: { _ in })
                let load = try #require(ScenarioList.named("load"))
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    load.play(on: stage) {}
                    _ = continuation
                }
            }
        }
        let trace = try #require(TraceDirectory(path: folder.path).traces().first)
        #expect(trace.writer == .ended)
        let counts = try #require(LoadCounts(path: "\(folder.path)/counts"))
        let region = try RegionFile(path: trace.path)
        let found = Found(region)

        // Every record is read or counted, and nothing else is there.
        #expect(found.read + found.lost == region.recordCount)
        #expect(region.damagedLanes == 0)
        #expect(found.unknown == 0)
        // The program counts after it has emitted, so the trace is ahead by at most the tasks in progress on each of its threads.
        let threads = UInt64(region.laneCount)
        #expect(found.created + found.lost >= counts.made)
        #expect(found.ended + found.lost >= counts.ended)
        if found.lost == 0 {
            #expect(found.created <= counts.made + 4)
            #expect(found.ended <= counts.ended + 4 * threads)
            #expect(found.store.taskCount == Int(found.created))
        }
        #expect(found.store.lostCount == found.lost)
        #expect(found.store.unreadableCount == 0)
    }
}

/// A region's events, counted and folded.
private struct Found {
    let store = TraceStore()
    var read: UInt64 = 0
    var lost: UInt64 = 0
    var created: UInt64 = 0
    var ended: UInt64 = 0
    var unknown = 0

    init(_ region: RegionFile) {
        var merger = LaneMerger(source: region)
        merger.drain { batch in
            store.apply(batch)
            for event in batch.events {
                read += event.kind == .lost ? 0 : 1
                switch event.kind {
                case .lost: lost += event.other
                case .created: created += 1
                case .completed, .faulted, .cancelled: ended += 1
                case nil: unknown += 1
                case _: break
                }
            }
        }
    }
}

/// The program's own counts, in a mapping that outlives it.
private struct LoadCounts: @unchecked Sendable {
    private let counts: UnsafeMutablePointer<Atomic<UInt64>>

    init?(path: String) {
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0, ftruncate(file, 4096) == 0 else { return nil }
        let mapped = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        counts = mapped.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    func note(_ note: LoadNote) {
        counts[note == .made ? 0 : 8].add(1, ordering: .relaxed)
    }

    var made: UInt64 { counts[0].load(ordering: .relaxed) }
    var ended: UInt64 { counts[8].load(ordering: .relaxed) }
}
