import TaskEvents
import Testing
import TraceStore
import TraceTestKit

/// Facts read for 64 tasks at a time equal those read task by task.
@Suite struct TaskBlockTests {
    private static let facts: [TaskFact] = [
        .id, .state, .kind, .label, .executor, .error, .chainRow, .chain, .total, .totalSinceCreation, .busy, .queued, .suspended, .hops,
        .successors, .firstSuccessor, .trouble,
    ]

    private func alone(_ fact: TaskFact, _ task: TaskView, now: UInt64) -> UInt64 {
        func total(from start: UInt64?) -> UInt64 {
            guard let start else { return TaskBlock.unknown }
            let end = task.ended ?? now
            return end > start ? end - start : 0
        }
        let isTaken = task.isErrorReadOutside || task.readers.contains { _ in true } || task.successorCount > 0 || task.lacksSuccessor
        let isUnread = task.state == .faulted && task.isReleased && !isTaken
        return switch fact {
        case .id: task.id.rawValue
        case .state: UInt64(task.state.rawValue) + (task.isSkipped ? 8 : 0)
        case .kind: UInt64(task.kind.rawValue)
        case .label: UInt64(task.nameID.rawValue) << 32 | UInt64(task.labelID.rawValue)
        case .executor: UInt64(task.executor.rawValue)
        case .error: UInt64(task.error.rawValue)
        case .chainRow: UInt64(task.chainRow + 1)
        case .chain: task.chain.rawValue
        case .total: total(from: task.firstKnown)
        case .totalSinceCreation: total(from: task.created)
        case .busy: task.busy ?? TaskBlock.unknown
        case .queued: task.queuedTime ?? TaskBlock.unknown
        case .suspended: task.suspendedTime ?? TaskBlock.unknown
        case .hops: UInt64(task.hopCount)
        case .successors: UInt64(task.successorCount)
        case .firstSuccessor: task.successors.first { _ in true }?.rawValue ?? TaskBlock.unknown
        case .trouble: isUnread ? 2 : task.isSynthesised ? 1 : 0
        }
    }

    private func expectSame(_ store: TraceStore, _ comment: Comment) {
        for fact in Self.facts {
            var numbers: [UInt64] = []
            store.forEachBlock { block in
                #expect((1...TaskBlock.size).contains(block.count) && block.all.nonzeroBitCount == block.count)
                let read = block.read(fact)
                for index in 0..<block.count { numbers.append(read[index]) }
            }
            #expect(numbers == store.rows.map { alone(fact, store[$0], now: store.now) }, "\(fact), \(comment)")
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>) func blocksEqualSingleTasks(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 500, isComplete: seed % 2 == 0).trace
        expectSame(trace.store(), "seed \(seed)")
        expectSame(trace.store(retention: Retention(endedTasks: 60)), "seed \(seed), evicted")
        // The store has evicted the beginning of the trace.
        let store = TraceStore()
        store.entries = trace.entries
        store.apply(trace.events[700...])
        expectSame(store, "seed \(seed), cut")
    }

    @Test("A failed and released task is unobserved only if no other task took its error") func takenErrors() throws {
        var trace = TraceBuilder()
        let caller = trace.create(.unstructured, "caller")
        let awaited = trace.create(.unstructured, "awaited")
        trace.start(caller, .slice)
        trace.suspend(caller, .task, awaiting: awaited)
        let named = trace.create(.unstructured, "read by name")
        let child = trace.create(.groupChild, "rethrown child", of: [caller])
        let dropped = trace.create(.groupChild, "dropped child", of: [caller])
        let unread = trace.create(.detached, "unread")
        for task in [awaited, named, child, dropped, unread] { trace.fault(task, type: "Refused") }
        trace.readError(of: named, by: caller)
        for task in [awaited, named, child, unread] { trace.release(task) }
        trace.emit(TaskEvent(.released, task: dropped, other: caller.rawValue, detail: ReleaseManner.dropped.rawValue))
        let store = trace.store()
        for task in [awaited, named, child] { #expect(try #require(store.task(task)).trouble == nil, "\(task)") }
        for task in [dropped, unread] { #expect(try #require(store.task(task)).trouble == .unobserved, "\(task)") }
        expectSame(store, "taken errors")
    }

    @Test func aStoppedBlockContinuesWhereItStopped() {
        var trace = TraceBuilder()
        for number in 0..<500 {
            let task = trace.root("task \(number)")
            if number % 3 == 0 { trace.complete(task) }
        }
        let store = trace.store(retention: Retention(endedTasks: 20))
        var found: [UInt64] = []
        var next: TaskID? = TaskID.none
        var calls = 0
        while let after = next {
            next = store.forEachBlock(after: after, limit: 100) { block in
                let ids = block.read(.id)
                for index in 0..<block.count { found.append(ids[index]) }
            }
            calls += 1
        }
        #expect(found == store.rows.map { store[$0].id.rawValue } && found.count < 400)
        #expect(calls == 3)
        #expect(TraceStore().forEachBlock { _ in Issue.record("There is no task.") } == nil)
        #expect(store.forEachBlock(after: TaskID(rawValue: .max)) { _ in Issue.record("There is no such task.") } == nil)
    }
}
