import TaskEvents
import Testing
import TraceFile
import TraceTestKit
import TraceTransport

@testable import TraceStore

/// Going to any event of a recording with far more tasks than its keyframes hold.
@Suite struct SparseKeyframeTests {
    private static let wanted = 300
    private static let tasks = 24_000

    private static var limits: TraceHistory.Limits {
        var limits = TraceHistory.Limits()
        limits.keyframeInterval = 200
        // One full keyframe stays, whatever it costs.
        limits.sparseKeyframeBytes = 16 << 20
        limits.keyframeBytes = limits.sparseKeyframeBytes
        limits.fullEvents = 50_000
        limits.fullReach = 500
        limits.sparseEndedTasks = wanted
        return limits
    }

    /// A server: each request is a task on an executor and a continuation of it; some requests stay open for long.
    private static func trace() -> TraceBuilder {
        var random = SeededGenerator(seed: 11)
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        var open: [(request: TaskID, answer: TaskID)] = []
        for _ in 0..<tasks / 2 {
            let request = trace.root("request", on: queue)
            open.append((request, trace.continuation("answer", of: request)))
            trace.enqueue(request)
            trace.advance(microseconds: 3)
            trace.start(request)
            guard open.count > 40 else { continue }
            let ended = open.remove(at: Int.random(in: 0..<open.count, using: &random))
            trace.fault(ended.request, type: "Failure", message: "refused")
            trace.endJob(ended.request)
            trace.skip(ended.answer)
        }
        return trace
    }

    private static func history(of trace: TraceBuilder, in folder: ScratchFolder) throws -> TraceHistory {
        let path = folder.path("long.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
        writer.write(trace.entries)
        for start in stride(from: 0, to: trace.events.count, by: 97) {
            let range = start..<min(start + 97, trace.events.count)
            try writer.write(TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range])))
        }
        try writer.finish()
        let history = TraceHistory(try TraceFileReader(path: path), limits: limits)
        history.loadAll()
        return history
    }

    /// A block of a recording, between two possible keyframes.
    private static let block = 8_192

    /// A fold that goes straight on and forgets nothing.
    private struct Straight {
        let store = TraceStore()
        private let trace: TraceBuilder

        init(_ trace: TraceBuilder) {
            self.trace = trace
            store.entries = trace.entries
        }

        func go(to number: Int) {
            let rest = store.eventCount..<number
            store.apply(TraceBatch(events: Array(trace.events[rest]), lanes: Array(trace.lanes[rest])))
        }
    }

    @Test("A state folded from a sparse keyframe has every open task and the latest ended ones, as the straight fold has them")
    func agreesWithTheStraightFold() throws {
        let trace = Self.trace()
        let history = try Self.history(of: trace, in: ScratchFolder())
        var random = SeededGenerator(seed: 5)
        let straight = Straight(trace)
        let expected = straight.store
        var sparse = 0
        for number in (0..<24).map({ _ in Int.random(in: 1..<trace.events.count, using: &random) }).sorted() {
            history.seek(to: 1)
            let folded = history.foldedCount
            history.seek(to: number)
            #expect(history.foldedCount - folded < 3 * Self.block, "to event \(number)")
            let store = history.store
            straight.go(to: number)
            #expect(store.taskCount == expected.taskCount && store.jobs.total == expected.jobs.total)
            #expect(TaskState.allCases.allSatisfy { store.count(of: $0) == expected.count(of: $0) })
            for executor in expected.executors {
                let found = try #require(store.executor(executor.id))
                #expect(StateDigest(of: found, now: store.now) == StateDigest(of: executor, now: expected.now), "at event \(number)")
            }
            for row in store.rows {
                let other = try #require(expected.task(store[row].id))
                #expect(StateDigest(of: store[row]) == StateDigest(of: other), "\(store[row].id) at event \(number)")
            }
            let ended = expected.rows.map { expected[$0] }.filter(\.state.hasEnded).sorted { $0.ended ?? 0 < $1.ended ?? 0 }
            #expect(ended.suffix(Self.wanted * 9 / 10).allSatisfy { store.task($0.id) != nil }, "at event \(number)")
            #expect(expected.rows.allSatisfy { expected[$0].state.hasEnded || store.task(expected[$0].id) != nil })
            if store.evictedCount > 0 { sparse += 1 }
        }
        #expect(sparse > 12)
    }

    @Test func aShortRecordingHasItsFullStates() throws {
        let trace = Self.trace()
        let folder = try ScratchFolder()
        let history = try Self.history(of: trace, in: folder)
        var limits = Self.limits
        limits.fullEvents = trace.events.count
        let short = TraceHistory(try TraceFileReader(path: folder.path("long.hop")), limits: limits)
        short.loadAll()
        let straight = Straight(trace)
        for number in [1, 5_000, 50_000, trace.events.count] {
            short.seek(to: number)
            straight.go(to: number)
            #expect(StateDigest(of: short.store) == StateDigest(of: straight.store))
        }
        #expect(history.eventCount == short.eventCount)
    }

    @Test func stepsBackFromTheEndAreShort() throws {
        let trace = Self.trace()
        let history = try Self.history(of: trace, in: ScratchFolder())
        history.seek(to: trace.events.count)
        for back in 1...40 {
            let folded = history.foldedCount
            history.step(.back)
            #expect(history.position == trace.events.count - back)
            #expect(history.foldedCount - folded < 3 * Self.block)
        }
    }
}
