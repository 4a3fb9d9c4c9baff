import TaskEvents
import Testing
import TraceStore
import TraceTestKit

/// Tasks that await one another's values, and the other facts that only the probe emits.
@Suite struct AwaitTests {
    private func suspended(_ task: TaskID, awaiting other: TaskID) -> TaskEvent {
        TaskEvent(.suspended, task: task, other: other.rawValue, detail: SuspensionReason.task.rawValue)
    }

    @Test func aSuspensionOnATaskIsAnAwait() throws {
        var trace = TraceBuilder()
        let awaited = trace.create(.detached, "awaited")
        let task = trace.create(.detached, "awaiting")
        trace.emit(suspended(task, awaiting: awaited))
        let store = trace.store()
        #expect(try Array(#require(store.task(task)).awaited) == [awaited])
        #expect(try Array(#require(store.task(awaited)).awaiters) == [task])
        #expect(store.task(task)?.waitsFor == awaited)
        #expect(try Array(#require(store.task(task)).antecedents).isEmpty, "it follows from nothing")
    }

    @Test func aTaskAwaitsAnotherOnce() throws {
        var trace = TraceBuilder()
        let (awaited, task) = (trace.create(.detached), trace.create(.detached))
        trace.link(task, to: awaited, role: .awaited)
        trace.emit(suspended(task, awaiting: awaited))
        trace.link(task, to: awaited, role: .awaited)
        #expect(try Array(#require(trace.store().task(task)).awaited) == [awaited])
    }

    @Test(arguments: [TaskKind.asyncLet, .groupChild]) func aChildIsAwaitedWithoutAnEvent(_ kind: TaskKind) throws {
        var trace = TraceBuilder()
        let parent = trace.create(.detached)
        let child = trace.create(kind, of: [parent])
        let stranger = trace.create(.detached)
        trace.emit(suspended(parent, awaiting: child))
        trace.emit(suspended(stranger, awaiting: child))
        let store = trace.store()
        #expect(try Array(#require(store.task(parent)).awaited).isEmpty)
        #expect(try Array(#require(store.task(child)).awaiters) == [stranger])
        #expect(store.task(parent)?.waitsFor == child)
    }

    @Test func aTaskThatEnqueuesAWaitingTaskHasResumedIt() throws {
        var trace = TraceBuilder()
        let (asker, first, second) = (trace.create(.detached), trace.create(.detached), trace.create(.detached))
        for answerer in [first, first, second] {
            trace.start(asker)
            trace.suspend(asker, .continuation)
            trace.enqueue(asker, by: answerer)
        }
        let store = trace.store()
        #expect(try Array(#require(store.task(asker)).resumers) == [first, second])
        #expect(try Array(#require(store.task(asker)).resumingBlocks).isEmpty)
        #expect(store.task(asker)?.lastResumer == second)
        #expect(try Array(#require(store.task(first)).awaiters).isEmpty, "no task awaits it")
    }

    @Test(
        "A task that enqueues another one has resumed it only if that waited for a continuation and for no value",
        arguments: [SuspensionReason.task, .group, .executor, .continuation])
    func enqueuedForAnotherReason(_ reason: SuspensionReason) throws {
        var trace = TraceBuilder()
        let (task, other, chain) = (trace.create(.detached), trace.create(.detached), trace.root("chain"))
        trace.enqueue(task, by: other)
        trace.start(task)
        trace.enqueue(task, by: other)
        if reason == .continuation { trace.link(task, to: chain, role: .awaited) }
        trace.suspend(task, reason, awaiting: reason == .task ? other : .none)
        trace.enqueue(task, by: other)
        #expect(try Array(#require(trace.store().task(task)).resumers).isEmpty)
    }

    @Test func aSleepIsResumedByNoTaskOfTheProgram() throws {
        var trace = TraceBuilder()
        let (task, timer) = (trace.create(.detached), trace.create(.internal))
        trace.start(task)
        trace.suspend(task, .continuation)
        trace.enqueue(task, by: timer)
        #expect(try Array(#require(trace.store().task(task)).resumers).isEmpty)
    }

    /// A Swift task that awaits a chain waits by a continuation.
    @Test func aContinuationBelongsToTheAwaitedTask() {
        var trace = TraceBuilder()
        let chain = trace.root("chain")
        let task = trace.create(.detached)
        trace.link(task, to: chain, role: .awaited)
        trace.suspend(task, .continuation)
        #expect(trace.store().task(task)?.waitsFor == chain)
    }

    @Test func aContinuationAfterTheTasksEndBelongsToAnotherAwait() {
        var trace = TraceBuilder()
        let chain = trace.root("chain")
        let task = trace.create(.detached)
        trace.link(task, to: chain, role: .awaited)
        trace.complete(chain)
        trace.suspend(task, .continuation)
        #expect(trace.store().task(task)?.waitsFor == nil)
    }

    @Test func onlyTheLatestAwaitsAreKept() throws {
        var trace = TraceBuilder()
        let task = trace.create(.detached)
        let awaited = (0..<1500).map { _ in trace.create(.detached) }
        for other in awaited { trace.link(task, to: other, role: .awaited) }
        let store = trace.store()
        #expect(try Array(#require(store.task(task)).awaited) == awaited.suffix(1024))
        #expect(try Array(#require(store.task(awaited[0])).awaiters) == [task])
    }

    /// A task that awaits others as long as the program runs keeps none of them.
    @Test func anAwaitedTaskCanBeEvicted() throws {
        var trace = TraceBuilder()
        let task = trace.create(.detached)
        let awaited = (0..<50).map { _ in
            let other = trace.create(.detached)
            trace.link(task, to: other, role: .awaited)
            trace.complete(other)
            return other
        }
        let store = trace.store(retention: Retention(endedTasks: 10))
        #expect(store.task(awaited[0]) == nil)
        #expect(store.keptCount == 11)
        #expect(try Array(#require(store.task(task)).awaited) == awaited)
    }

    @Test(
        arguments: [
            (0, nil), (1, .background), (9, .background), (17, .low), (21, .medium), (25, .high), (33, .interactive), (255, .interactive),
        ] as [(UInt8, JobPriority?)])
    func theFirstJobHasTheTasksPriority(counted: UInt8, priority: JobPriority?) {
        var trace = TraceBuilder()
        let task = trace.create(.detached)
        let global = trace.executor("global", .global)
        trace.emit(TaskEvent(.enqueued, task: task, executor: global, detail: counted))
        trace.start(task, .slice, on: global)
        trace.suspend(task, .continuation)
        trace.emit(TaskEvent(.enqueued, task: task, executor: global, detail: 33))
        let store = trace.store()
        #expect(store.task(task)?.priority == priority ?? .interactive, "escalation is none of the task's own")
        #expect(store.task(task)?.kind == .detached)
    }
}
