import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

/// Links, chains, eviction.
@Suite struct ChainTests {
    private let continuation = TaskKind.continuation.rawValue

    @Test func aLateCreationMovesAllItsFollowers() {
        let store = TraceStore()
        // 3 continues 2, which continues 1; the records arrive backwards.
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 3), at: 30, other: 2, detail: continuation))
        #expect(store.task(TaskID(rawValue: 3))?.chain.rawValue == 2)
        #expect(store.task(TaskID(rawValue: 2))?.isSynthesised == true)
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 2), at: 20, other: 1, detail: continuation))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 1), at: 10))
        for id in 1...3 as ClosedRange<UInt64> { #expect(store.task(TaskID(rawValue: id))?.chain.rawValue == 1) }
        #expect(store.synthesisedCount == 0)
        #expect(store.task(TaskID(rawValue: 2))?.successors.map(\.rawValue) == [3])
    }

    @Test func antecedentsKeepTheirOrderWithTheInnerTaskLast() {
        var trace = TraceBuilder()
        let inputs = (0..<4).map { _ in trace.root("input") }
        let join = trace.join(of: inputs)
        let inner = trace.root("inner")
        let outer = trace.continuation("outer", of: join)
        trace.start(outer, .inline)
        trace.wait(outer, forInner: inner)
        let store = trace.store()
        #expect(Array(store.task(join)!.antecedents) == inputs)
        #expect(store.task(join)!.firstAntecedent == inputs[0])
        #expect(store.task(join)!.chain == join)
        #expect(store.task(join)!.inner == nil)
        #expect(Array(store.task(outer)!.antecedents) == [join, inner])
        #expect(store.task(outer)!.inner == inner)
        #expect(store.task(outer)!.chain == join)
        #expect(store.task(outer)!.waitsFor == inner)
        #expect(store.task(inputs[1])!.successors.map(\.self) == [join])
        #expect(store.task(join)!.successorCount == 1)
    }

    @Test func rowsAreSortedById() {
        let store = TraceStore()
        for id in [5000, 3, 9, 1, 4096] as [UInt64] { store.apply(TaskEvent(.created, task: TaskID(rawValue: id), at: id)) }
        #expect(store.rows.map { store[$0].id.rawValue } == [1, 3, 9, 4096, 5000])
        #expect(store.rows(after: TaskID(rawValue: 9)).map { store[$0].id.rawValue } == [4096, 5000])
        #expect(store.rows(after: TaskID(rawValue: .max)).map { $0 }.isEmpty)
    }

    // MARK: Eviction

    /// One chain of `length` tasks, all of them ended.
    private func playChain(_ store: TraceStore, next id: inout UInt64, length: Int = 4, at time: inout UInt64) {
        var previous: UInt64 = 0
        for _ in 0..<length {
            id += 1
            time += 10
            let kind: TaskKind = previous == 0 ? .root : .continuation
            let (task, pool) = (TaskID(rawValue: id), ExecutorID(rawValue: 1))
            store.apply(TaskEvent(.created, task: task, at: time, other: previous, executor: pool, detail: kind.rawValue))
            if previous != 0 { store.apply(TaskEvent(.hopped, task: task, at: time, other: 2, executor: pool)) }
            store.apply(TaskEvent(.enqueued, task: task, at: time, executor: pool))
            store.apply(TaskEvent(.started, task: task, at: time, executor: pool))
            store.apply(TaskEvent(.errorRead, task: TaskID(rawValue: previous), at: time, other: id))
            store.apply(TaskEvent(.suspended, task: task, at: time))
            store.apply(TaskEvent(.completed, task: task, at: time))
            store.apply(TaskEvent(.jobEnded, task: task, at: time, executor: pool))
            previous = id
        }
    }

    @Test func anEndlessProgramNeedsConstantMemory() {
        let store = TraceStore(retention: Retention(endedTasks: 1000))
        var (id, time) = (0 as UInt64, 0 as UInt64)
        for _ in 0..<2500 { playChain(store, next: &id, at: &time) }
        let early = store.tableBytes
        for _ in 0..<47_500 { playChain(store, next: &id, at: &time) }
        #expect(store.taskCount == 200_000)
        #expect(store.count(of: .succeeded) == 200_000)
        #expect(store.keptCount == 1000)
        #expect(store.evictedCount == 199_000)
        #expect(store.tableBytes <= early + 4096)
        #expect(store.row(of: TaskID(rawValue: 1)) == nil)
        #expect(store.task(TaskID(rawValue: 200_000))?.chain.rawValue == 199_997)
        #expect(store.rows.map { store[$0].id.rawValue } == Array(199_001...200_000))
        #expect(store.executor(ExecutorID(rawValue: 1))?.jobs == 200_000)
    }

    /// A task that lives for ever awaits a child, whose own child has ended before it, again and again.
    private func playRequest(_ store: TraceStore, _ number: UInt64, kind: TaskKind, fails: Bool = false) {
        let (child, inner) = (TaskID(rawValue: number * 2), TaskID(rawValue: number * 2 + 1))
        let time = number * 100
        store.apply(TaskEvent(.created, task: child, at: time, other: 1, detail: kind.rawValue))
        store.apply(TaskEvent(.created, task: inner, at: time + 1, other: child.rawValue, detail: TaskKind.asyncLet.rawValue))
        store.apply(TaskEvent(fails ? .faulted : .completed, task: inner, at: time + 2))
        if fails { store.apply(TaskEvent(.errorRead, task: inner, at: time + 3, other: child.rawValue)) }
        store.apply(TaskEvent(fails ? .faulted : .completed, task: child, at: time + 4))
        if fails { store.apply(TaskEvent(.errorRead, task: child, at: time + 5, other: 1)) }
    }

    @Test(
        "The structured children of a task that lives for ever need constant memory", arguments: [TaskKind.asyncLet, .groupChild],
        [false, true])
    func anEndlessTaskNeedsConstantMemory(kind: TaskKind, fails: Bool) {
        let store = TraceStore(retention: Retention(endedTasks: 1000))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 1), at: 1))
        for number in 1...2500 as ClosedRange<UInt64> { playRequest(store, number, kind: kind, fails: fails) }
        let early = store.tableBytes
        for number in 2501...50_000 as ClosedRange<UInt64> { playRequest(store, number, kind: kind, fails: fails) }
        #expect(store.taskCount == 100_001 && store.keptCount == 1001 && store.evictedCount == 99_000)
        // The kept ids may be on one page of their map or on two.
        #expect(store.tableBytes <= early + 20_000)
        // The oldest were evicted, and the living task was not.
        #expect(store.task(TaskID(rawValue: 1))?.successorCount == 500)
        #expect(store.rows.map { store[$0].id.rawValue } == [1] + Array(99_002...100_001))
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 1), at: 1 << 40))
        #expect(store.keptCount <= 1000)
    }

    @Test("A failed child is kept until its error has been read, or its parent has ended")
    func unreadChildIsKept() {
        let store = TraceStore(retention: Retention(endedTasks: 10))
        let (parent, child, grandchild) = (TaskID(rawValue: 200_000), TaskID(rawValue: 200_001), TaskID(rawValue: 200_002))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 1), at: 1))
        store.apply(TaskEvent(.created, task: parent, at: 2, other: 1, detail: TaskKind.groupChild.rawValue))
        store.apply(TaskEvent(.created, task: child, at: 3, other: parent.rawValue, detail: TaskKind.asyncLet.rawValue))
        store.apply(TaskEvent(.created, task: grandchild, at: 3, other: child.rawValue, detail: TaskKind.asyncLet.rawValue))
        store.apply(TaskEvent(.faulted, task: child, at: 4))
        for number in 1...100 as ClosedRange<UInt64> { playRequest(store, number, kind: .groupChild) }
        // Something follows from the failed child, and its error is unread.
        #expect(store.task(child)?.state == .faulted && store.task(grandchild)?.state == .pending)
        store.apply(TaskEvent(.completed, task: grandchild, at: 20_000))
        for number in 101...200 as ClosedRange<UInt64> { playRequest(store, number, kind: .groupChild) }
        #expect(store.task(child)?.state == .faulted && store.row(of: grandchild) == nil)
        store.apply(TaskEvent(.completed, task: parent, at: 40_000))
        for number in 201...300 as ClosedRange<UInt64> { playRequest(store, number, kind: .groupChild) }
        #expect(store.row(of: child) == nil && store.row(of: parent) == nil && store.keptCount == 11)
    }

    @Test func aChainIsKeptWhileOneOfItsTasksIsAlive() {
        let store = TraceStore(retention: Retention(endedTasks: 0))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 1), at: 1))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 2), at: 2, other: 1, detail: continuation))
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 1), at: 3))
        #expect(store.keptCount == 2)
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 2), at: 4))
        #expect(store.keptCount == 0)
        #expect(store.evictedCount == 2)
        // A late record of an evicted task makes no new task.
        store.apply(TaskEvent(.errorRead, task: TaskID(rawValue: 1), at: 5))
        #expect(store.taskCount == 2)
        #expect(store.keptCount == 0)
    }

    @Test func aReleasedPendingTaskIsEvicted() {
        let store = TraceStore(retention: Retention(endedTasks: 10))
        for id in 1...1000 as ClosedRange<UInt64> {
            store.apply(TaskEvent(.created, task: TaskID(rawValue: id), at: id, detail: TaskKind.source.rawValue))
            store.apply(TaskEvent(.released, task: TaskID(rawValue: id), at: id))
        }
        #expect(store.keptCount == 10)
        #expect(store.count(of: .pending) == 1000)
        // A released source faults: the end of such a task counts once.
        store.apply(TaskEvent(.faulted, task: TaskID(rawValue: 1000), at: 1001))
        #expect(store.keptCount == 10)
        #expect(store.task(TaskID(rawValue: 1000))?.state == .faulted)
    }

    @Test func aContinuationOfAnEvictedTaskHasItsChainsName() {
        let store = TraceStore(retention: Retention(endedTasks: 0))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 1), at: 1))
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 1), at: 2))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 2), at: 3, other: 1, detail: continuation))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 3), at: 4, other: 2, detail: continuation))
        #expect(store.task(TaskID(rawValue: 3))?.chain.rawValue == 1)
        #expect(store.task(TaskID(rawValue: 2))?.antecedents.map(\.rawValue) == [1])
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 2), at: 5))
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 3), at: 6))
        #expect(store.keptCount == 0)
    }

    @Test func aLiveJoinKeepsItsInputsAndAnEndedOneTheirIds() {
        let store = TraceStore(retention: Retention(endedTasks: 1))
        let join = TaskID(rawValue: 3)
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 1), at: 1))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 2), at: 2))
        store.apply(TaskEvent(.created, task: join, at: 3, other: 1, detail: TaskKind.join.rawValue))
        store.apply(TaskEvent(.antecedent, task: join, at: 3, other: 2))
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 1), at: 4))
        store.apply(TaskEvent(.completed, task: TaskID(rawValue: 2), at: 5))
        #expect(store.keptCount == 3)
        store.apply(TaskEvent(.completed, task: join, at: 6))
        // The inputs had ended and were kept for the join, which ended last.
        #expect(store.keptCount == 1)
        #expect(store.task(join)?.antecedents.map(\.rawValue) == [1, 2])
        #expect(store.row(of: TaskID(rawValue: 1)) == nil)
    }

    @Test func anInputOfManyJoinsReleasesThem() {
        let store = TraceStore(retention: Retention(endedTasks: 10))
        let shared = TaskID(rawValue: 1)
        store.apply(TaskEvent(.created, task: shared, at: 1))
        for id in 2...20_000 as ClosedRange<UInt64> {
            let join = TaskID(rawValue: id)
            store.apply(TaskEvent(.created, task: join, at: id, other: 1, detail: TaskKind.join.rawValue))
            store.apply(TaskEvent(.completed, task: join, at: id))
        }
        #expect(store.keptCount == 11)
        #expect(store.task(shared)?.successors.map(\.rawValue) == Array(19_991...20_000))
    }

    @Test(arguments: 1...6)
    func randomTracesUnderEvictionStaySound(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 1500)
        for order in [trace.trace.batch, trace.interleaved(seed: seed)] {
            let store = TraceStore(retention: Retention(endedTasks: 100))
            store.apply(order)
            #expect(store.keptCount + store.evictedCount == store.taskCount)
            for row in store.rows {
                let (task, truth) = (store[row], trace.truth[store[row].id]!)
                #expect(task.state == truth.state || !truth.state.hasEnded)
                #expect(Set(task.antecedents).isSubset(of: truth.antecedents))
                for successor in task.successors { #expect(store.row(of: successor) != nil) }
            }
        }
    }

    // MARK: Recent events

    @Test func recentEventsOfATaskAreOldestFirst() {
        var trace = TraceBuilder()
        let root = trace.root("root")
        let other = trace.root("other")
        trace.complete(other)
        let next = trace.continuation("next", of: root)
        trace.complete(root)
        let store = trace.store()
        #expect(store.recentEvents(of: root, limit: 10).map(\.number) == [1, 4, 5])
        #expect(store.recentEvents(of: root, limit: 2).map(\.number) == [4, 5])
        #expect(store.recentEvents(of: next, limit: 10).map(\.event.kind) == [.created])
        #expect(store.eventCount == 5)
        #expect(store.event(number: 0) == nil)
    }

    @Test func onlyTheLatestEventsAreKept() {
        let store = TraceStore()
        let events = (1...600_000 as ClosedRange<UInt64>).map { TaskEvent(.mark, at: $0, other: $0) }
        for part in [events[..<100_000], events[100_000..<150_001], events[150_001...]] {
            store.apply(TraceBatch(events: Array(part), lanes: Array(repeating: 0, count: part.count)))
        }
        #expect(store.eventCount == 600_000)
        #expect(store.event(number: 600_000)?.event.other == 600_000)
        #expect(store.event(number: 337_857)?.event.other == 337_857)
        #expect(store.event(number: 337_856) == nil)
    }
}
