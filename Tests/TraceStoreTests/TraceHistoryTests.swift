import TaskEvents
import Testing
import TraceFile
import TraceStore
import TraceTestKit
import TraceTransport

/// Seeking to any event of a trace, live or recorded.
@Suite struct TraceHistoryTests {
    /// Small limits, so that a short trace has many keyframes.
    private static var limits: TraceHistory.Limits {
        var limits = TraceHistory.Limits()
        limits.keyframeInterval = 50
        return limits
    }

    private static func batches(_ trace: TraceBuilder, of size: Int) -> [TraceBatch] {
        stride(from: 0, to: trace.events.count, by: size).map { start in
            let range = start..<min(start + size, trace.events.count)
            return TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range]))
        }
    }

    /// The digest after every event, from a fold that never goes back.
    private static func digests(_ trace: TraceBuilder, retention: Retention = Retention()) -> [StateDigest] {
        let store = TraceStore(retention: retention)
        store.entries = trace.entries
        var digests = [StateDigest(of: store)]
        for (event, lane) in zip(trace.events, trace.lanes) {
            store.apply(TraceBatch(events: [event], lanes: [lane]))
            digests.append(StateDigest(of: store))
        }
        return digests
    }

    private static func live(_ trace: TraceBuilder, retention: Retention = Retention()) -> TraceHistory {
        let store = TraceStore(retention: retention)
        store.entries = trace.entries
        let history = TraceHistory(store, limits: limits)
        for batch in batches(trace, of: 37) { history.apply(batch) }
        return history
    }

    @Test("A way in portions passes true states, folds no more than its limit at once, and ends where a whole one does")
    func travelsInPortions() throws {
        let trace = RandomTrace(seed: 3, tasks: 60, isComplete: true).trace
        let expected = Self.digests(trace)
        let folder = try ScratchFolder()
        let path = folder.path("portions.hop")
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "p", pid: 1, startRealtime: 0))
        writer.write(trace.entries)
        for batch in Self.batches(trace, of: 37) { try writer.write(batch) }
        try writer.finish()
        let recorded = try TraceFileReader(path: path)
        for history in [Self.live(trace), TraceHistory(recorded, limits: Self.limits)] {
            var random = SeededGenerator(seed: 4)
            for _ in 0..<Stress.seeks(everyDay: 60) {
                let target = Int.random(in: 0...history.eventCount, using: &random)
                history.seek(to: target, limit: 7)
                while history.goal != nil {
                    if !history.isAtLatest { #expect(StateDigest(of: history.store) == expected[history.position]) }
                    let (folded, loaded) = (history.foldedCount, history.latest.eventCount)
                    history.travelOn(limit: 7)
                    #expect(history.foldedCount - folded <= 7)
                    #expect(history.latest.eventCount - loaded <= 7)
                }
                #expect(history.position == target)
                #expect(StateDigest(of: history.store) == expected[target])
            }
            history.seek(to: 1, limit: 0)
            #expect(history.goal != nil)
            history.seekToLatest()
            #expect(history.goal == nil)
        }
    }

    @Test(arguments: [1, 2] as [UInt64], [1_000_000, 20])
    func everyEventHasTheStateOfAStraightFold(seed: UInt64, endedTasks: Int) {
        let trace = RandomTrace(seed: seed, tasks: 60, isComplete: true).trace
        let retention = Retention(endedTasks: endedTasks)
        let expected = Self.digests(trace, retention: retention)
        let history = Self.live(trace, retention: retention)
        #expect(history.eventCount == trace.events.count)
        #expect(history.firstPosition == 0)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Stress.seeks(everyDay: 80) {
            let number = Int.random(in: 0..<expected.count, using: &generator)
            history.seek(to: number)
            #expect(history.position == number)
            #expect(StateDigest(of: history.store) == expected[number], "event \(number)")
        }
        history.seekToLatest()
        #expect(StateDigest(of: history.store) == expected.last)
    }

    @Test func steppingVisitsEveryEventInBothDirections() {
        let trace = RandomTrace(seed: 9, tasks: 40, isComplete: true).trace
        let expected = Self.digests(trace)
        let history = Self.live(trace)
        for number in (1..<trace.events.count).reversed() {
            #expect(history.step(.back))
            #expect(history.position == number)
            #expect(StateDigest(of: history.store) == expected[number])
        }
        #expect(!history.step(.back))
        #expect(history.position == 1)
        for number in 2...trace.events.count {
            #expect(history.step(.forward))
            #expect(StateDigest(of: history.store) == expected[number])
        }
        #expect(!history.step(.forward))
        #expect(!history.isAtLatest)
    }

    @Test(arguments: [EventSearch.fault, .hop, .chain(TaskID(rawValue: 1))])
    func stepsFindTheNextEventOfTheirKind(search: EventSearch) {
        let trace = RandomTrace(seed: 5, tasks: 200, isComplete: true).trace
        let history = Self.live(trace)
        let all = trace.store()
        let wanted = trace.events.indices.filter { index in
            let event = trace.events[index]
            return switch search {
            case .any: true
            case .fault: event.kind == .faulted
            case .hop: event.kind == .hopped
            case .remark: event.isRemark
            case .chain(let chain): event.task != .none && all.task(event.task)?.chain == chain
            }
        }.map { $0 + 1 }
        #expect(wanted.count > 2)
        history.seek(to: 0)
        var found: [Int] = []
        while history.step(.forward, to: search) { found.append(history.position) }
        #expect(found == wanted)
        while history.step(.back, to: search) { found.append(history.position) }
        #expect(found == wanted + wanted.reversed().dropFirst())
    }

    @Test func theCursorStaysWhileTheTraceGrows() {
        let trace = RandomTrace(seed: 2, tasks: 80, isComplete: true).trace
        let expected = Self.digests(trace)
        let batches = Self.batches(trace, of: 50)
        let store = TraceStore()
        store.entries = trace.entries
        let history = TraceHistory(store, limits: Self.limits)
        for batch in batches.prefix(5) { history.apply(batch) }
        history.advance(to: trace.now + 1_000_000)
        history.seek(to: history.position)
        let epoch = history.epoch
        for batch in batches.dropFirst(5) { history.apply(batch) }
        #expect(history.position == 250)
        #expect(StateDigest(of: history.store) == expected[250])
        #expect(history.eventCount == trace.events.count)
        #expect(history.epoch == epoch)
        history.seekToLatest()
        #expect(history.epoch != epoch)
        #expect(history.position == trace.events.count)
    }

    @Test func aLiveTraceEvictsItsBeginningAndKeepsTheCursor() {
        var trace = TraceBuilder()
        var limits = TraceHistory.Limits()
        limits.liveEvents = 40_000
        limits.keyframeInterval = 1 << 18
        let history = TraceHistory(limits: limits)
        func add(_ count: Int) {
            let first = trace.events.count
            for _ in 0..<count / 2 {
                let task = trace.root("task")
                trace.advance(nanoseconds: 10)
                trace.complete(task)
            }
            history.latest.entries = trace.entries
            let range = first..<trace.events.count
            history.apply(TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range])))
        }
        add(5000)
        history.seek(to: 4000)
        let digest = StateDigest(of: history.store)
        for _ in 0..<20 { add(5000) }
        // The state at the cursor stays, although the events before it are gone.
        #expect(history.position == 4000)
        #expect(StateDigest(of: history.store) == digest)
        #expect(history.firstPosition > 40_000)
        #expect(history.firstPosition <= history.eventCount - 30_000)
        #expect(!history.step(.back))
        #expect(history.event(number: 4000) == nil)
        // The next keyframe that is kept.
        #expect(history.step(.forward))
        #expect(history.position == history.firstPosition)
        history.seek(to: 1)
        #expect(history.position == history.firstPosition)
        history.seek(to: history.eventCount - 7)
        let store = TraceStore()
        store.entries = trace.entries
        store.apply(trace.events.dropLast(7))
        #expect(StateDigest(of: history.store) == StateDigest(of: store))
    }

    @Test func eventsThatCameJustBeforeTheirTasksCreationAreListed() {
        var trace = TraceBuilder()
        let late = trace.reserveTask()
        trace.enqueue(late)
        for _ in 0..<100 { trace.complete(trace.root("task")) }
        trace.created(late, .root, "late")
        trace.complete(late)
        #expect(trace.store().recentEvents(of: late, limit: 10).map(\.event.kind) == [.enqueued, .created, .completed])
    }

    @Test func theEventsBeforeTheCursorCanBeListed() {
        var trace = TraceBuilder()
        let first = trace.root("first")
        for _ in 0..<9000 { trace.complete(trace.root("task")) }
        trace.complete(first)
        let history = TraceHistory(limits: Self.limits)
        history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
        history.seek(to: trace.events.count)
        #expect(history.store.recentEvents(of: first, limit: 10).map(\.number) == [1, trace.events.count])
        history.seek(to: trace.events.count - 1)
        #expect(history.store.recentEvents(of: first, limit: 10).map(\.number) == [1])
        #expect(history.store.event(number: trace.events.count) == nil)
        #expect(history.store.event(number: 2)?.event.task == TaskID(rawValue: 2))
    }
}
