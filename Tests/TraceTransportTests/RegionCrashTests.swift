import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TraceTransport

/// Programs that are killed while they emit.
@Suite(.serialized) struct RegionCrashTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func everyEventBeforeAKillIsReadOrCounted(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let moment = UInt64.random(in: 1...400_000, using: &random)
        let folder = try RegionFolder()
        let killer = try Onlooker { isOver in
            let trace = folder.waitForTrace(records: moment, unless: isOver)
            if let trace { kill(trace.pid, SIGKILL) }
            return trace?.path
        }
        await passing(folder.path) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let path = try passed(String.self)
                let counts = try #require(Counter(path: "\(path)/count"))
                let bus = try EventBus(.small(capacity: 32_767), in: TraceDirectory(path: path))
                bus.start()
                try bus.publish()
                let other = try WorkerThread {
                    for number in 1...UInt64.max {
                        Emit.resumed(TaskID(rawValue: number))
                        counts[1] = number
                    }
                }
                for number in 1...UInt64.max {
                    Emit.resumed(TaskID(rawValue: number))
                    counts[0] = number
                }
                other.join()
            }
        }
        let path = try #require(killer.finish())

        let region = try RegionFile(path: path)
        #expect(region.writer == .ended)
        let counts = try #require(Counter(path: "\(folder.path)/count"))
        var reported: [UInt64] = []
        for lane in 0..<region.laneCount {
            var next: UInt64 = 0
            var events: [TaskEvent] = []
            let lost = region.read(lane: lane, from: &next, into: &events, limit: 1 << 20)
            let numbers = events.filter { $0.kind == .resumed }.map(\.task.rawValue)
            let last = numbers.last ?? 0
            // The only gap is the one at the beginning, which is counted.
            #expect(numbers.isEmpty || numbers == Array(last - UInt64(numbers.count) + 1...last))
            // Besides these events, a lane has one that names its thread, unless the thread was killed before it emitted.
            let isEmpty = lost == 0 && events.isEmpty
            #expect(isEmpty || lost + UInt64(events.count) == last + 1)
            reported.append(last)
        }
        // The test does not know which thread had which lane; the last event may have been emitted and not yet counted.
        let emitted = [counts[0], counts[1]].sorted()
        // The other thread may not have begun yet.
        if reported.count == 1 { reported.append(0) }
        #expect(reported.count == 2)
        #expect(zip(reported.sorted(), emitted).allSatisfy { $0 == $1 || $0 == $1 + 1 }, "\(reported.sorted()) \(emitted)")
    }
}

/// Two numbers in a file, which outlive the writing process.
private struct Counter: @unchecked Sendable {
    private let numbers: UnsafeMutablePointer<UInt64>

    init?(path: String) {
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0, ftruncate(file, 4096) == 0 else { return nil }
        let mapped = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        numbers = mapped.assumingMemoryBound(to: UInt64.self)
    }

    /// Each number is on a cache line of its own.
    subscript(index: Int) -> UInt64 {
        get { numbers[index * 8] }
        nonmutating set { numbers[index * 8] = newValue }
    }
}
