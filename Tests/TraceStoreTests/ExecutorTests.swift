import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@Suite struct ExecutorTests {
    @Test func aQueueKeepsItsOrderWhicheverJobLeaves() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let tasks = (0..<5).map { _ in trace.root("work", on: pool) }
        for task in tasks {
            trace.advance(nanoseconds: 10)
            trace.enqueue(task)
        }
        trace.cancel(tasks[2], .token)
        trace.start(tasks[0])
        trace.cancel(tasks[4], .token)
        let view = trace.store().executor(pool)!
        #expect(view.queue.map(\.task) == [tasks[1], tasks[3]])
        #expect(view.queue.map(\.since) == [20, 40])
        #expect(view.depth == 2)
        #expect(view.maxDepth == 5)
        #expect(view.running.map(\.task) == [tasks[0]])
        #expect(view.running.map(\.since) == [50])
    }

    @Test func aLateRecordTakesItsPlaceInTheQueue() {
        let pool = ExecutorID(rawValue: 1)
        let store = TraceStore()
        for (task, time) in [(1, 10), (2, 30), (3, 20)] as [(UInt64, UInt64)] {
            store.apply(TaskEvent(.enqueued, task: TaskID(rawValue: task), at: time, executor: pool))
        }
        #expect(store.executor(pool)?.queue.map(\.task.rawValue) == [1, 3, 2])
    }

    @Test func aHundredThousandQueuedJobsLeaveInAnyOrder() {
        let pool = ExecutorID(rawValue: 1)
        let store = TraceStore()
        let count: UInt64 = 100_000
        for task in 1...count { store.apply(TaskEvent(.enqueued, task: TaskID(rawValue: task), at: task, executor: pool)) }
        #expect(store.executor(pool)?.depth == Int(count))
        // Every second job is cancelled, from the back.
        for task in stride(from: count, to: 0, by: -2) { store.apply(TaskEvent(.cancelled, task: TaskID(rawValue: task), at: count)) }
        #expect(store.executor(pool)?.depth == Int(count) / 2)
        #expect(store.executor(pool)?.queue.prefix(3).map(\.task.rawValue) == [1, 3, 5])
    }

    @Test func jobsAndTheirTimesAreCounted() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let pool = trace.executor("pool", .pool)
        let immediate = trace.executor("immediate", .immediate)
        let first = trace.root("first", on: pool)
        trace.run(first, after: 2, milliseconds: 3)
        let second = trace.continuation("second", of: first, on: main)
        trace.hop(second, from: pool)
        trace.run(second, after: 1, milliseconds: 5)
        // A closure on main without a task, with an inline body inside it.
        trace.start(.none, on: main)
        let inline = trace.root("inline", on: immediate)
        trace.start(inline, .inline)
        trace.advance(milliseconds: 1)
        trace.complete(inline)
        trace.advance(milliseconds: 1)
        trace.endJob(.none, on: main)
        let store = trace.store()

        #expect(store.executors.map(\.name) == ["main", "pool", "immediate"])
        let onMain = store.executor(main)!
        #expect(onMain.jobs == 2)
        #expect(onMain.busy == 7_000_000)
        #expect(onMain.longestJob?.nanoseconds == 5_000_000)
        #expect(onMain.longestJob?.task == second)
        #expect(onMain.waits.p50 == 1_000_000)
        #expect(onMain.running.isEmpty)
        #expect(store.executor(immediate)?.busy == 1_000_000)
        #expect(store.executor(immediate)?.jobs == 1)
        #expect(store.executor(pool)?.waits.max == 2_000_000)
        #expect(store.executor(ExecutorID(rawValue: 9)) == nil)
        #expect(store.description(of: ExecutorID(rawValue: 9)).name == "executor 9")
        let hop = store.task(second)!.hops.map(\.self).first
        #expect(store.task(second)!.hopCount == 1)
        #expect(hop?.task == second)
        #expect(hop?.from == pool)
        #expect(hop?.to == main)
        #expect(hop?.manner == .dispatched)
        #expect(hop?.at == 5_000_000)
        #expect(hop?.wait == 1_000_000)
    }

    @Test("The beginning of an asynchronous main function is the main executor's time")
    func mainBegins() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.root("main", on: main)
        trace.start(task, .inline)
        trace.advance(milliseconds: 5)
        trace.suspend(task, .awaiting)
        trace.advance(milliseconds: 5)
        let store = trace.store()
        #expect(store.executor(main)?.busy == 5_000_000)
        #expect(store.executor(main)?.running.isEmpty == true)
    }

    @Test("A body that runs inline in a job of the main executor adds no time to it, whichever lane has its records")
    func mainCountsOnce() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let (outer, inner) = (trace.root("outer", on: main), trace.root("inner", on: main))
        trace.lane = 1
        trace.takeLane(thread: 100)
        trace.lane = 2
        trace.takeLane(thread: 100)
        trace.lane = 1
        trace.enqueue(outer)
        trace.start(outer, .slice)
        trace.lane = 2
        trace.start(inner, .inline)
        trace.advance(milliseconds: 5)
        trace.complete(inner)
        trace.lane = 1
        trace.complete(outer)
        #expect(trace.store().executor(main)?.busy == 5_000_000)
    }

    @Test("A body inside another one of the same executor adds no time to it, while it runs and after its end")
    func nestedBodiesCountOnce() {
        var trace = TraceBuilder()
        let inline = trace.executor("default", .default)
        let (outer, inner) = (trace.root("outer", on: inline), trace.root("inner", on: inline))
        trace.start(outer, .inline)
        trace.advance(milliseconds: 1)
        trace.start(inner, .inline)
        func busy() -> UInt64? {
            let store = trace.store()
            store.advance(to: trace.now)
            return store.executor(inline)?.busy
        }
        trace.advance(milliseconds: 5)
        #expect(busy() == 6_000_000)
        trace.complete(inner)
        trace.advance(milliseconds: 1)
        #expect(busy() == 7_000_000)
        trace.complete(outer)
        let store = trace.store()
        #expect(store.executor(inline)?.busy == 7_000_000)
        #expect(store.executor(inline)?.jobs == 2)
        #expect(store.executor(inline)?.threads == 1)
    }

    @Test("Each stay of a slice on an executor is a job of it, and the longest job is no shorter than the average one")
    func staysAreJobs() {
        var trace = TraceBuilder()
        let global = trace.executor("global", .global)
        let actor = trace.executor("Store", .actor)
        let task = trace.create(.detached, "work", on: global)
        func hop(_ to: ExecutorID, from: ExecutorID, _ manner: HopManner, count: UInt64 = 1, microseconds: UInt64) {
            trace.advance(microseconds: microseconds)
            let hops = InlineHops(from: from, count: count, nanoseconds: microseconds * 1000)
            trace.emit(TaskEvent(.hopped, task: task, other: hops.other, executor: to, detail: manner.rawValue))
        }
        trace.enqueue(task)
        trace.start(task, .slice)
        hop(actor, from: global, .inline, microseconds: 100)
        hop(global, from: actor, .left, count: 4, microseconds: 400)
        hop(actor, from: global, .inline, microseconds: 300)
        trace.advance(microseconds: 50)
        trace.complete(task)
        let store = trace.store()
        #expect(store.executor(global)?.jobs == 5)
        #expect(store.executor(actor)?.jobs == 2)
        #expect(store.executor(global)?.busy == 400_000)
        #expect(store.executor(actor)?.busy == 450_000)
        #expect(store.executor(actor)?.longestJob?.nanoseconds == 100_000)
        #expect(store.executor(global)?.longestJob?.nanoseconds == 300_000)
    }

    @Test("A stay ends with the slice if the task had to wait for the global executor that it was leaving for")
    func staysThatGoOn() {
        var trace = TraceBuilder()
        let global = trace.executor("global", .global)
        let line = trace.executor("line", .custom)
        let (waiting, arrived) = (trace.create(.detached, "waiting", on: line), trace.create(.detached, "arrived", on: line))
        for task in [waiting, arrived] {
            trace.enqueue(task)
            trace.start(task, .slice)
            trace.advance(microseconds: 60)
            let hops = InlineHops(from: line, count: 1, nanoseconds: 60_000)
            trace.emit(TaskEvent(.hopped, task: task, other: hops.other, executor: global, detail: HopManner.left.rawValue))
            trace.advance(microseconds: 20)
            let last = task == waiting ? line : global
            trace.emit(TaskEvent(.suspended, task: task, executor: last, detail: SuspensionReason.executor.rawValue))
        }
        let store = trace.store()
        #expect(store.executor(line)?.jobs == 2)
        #expect(store.executor(line)?.busy == 140_000)
        #expect(store.executor(line)?.longestJob?.nanoseconds == 80_000)
        #expect(store.executor(global)?.jobs == 1)
        #expect(store.executor(global)?.busy == 20_000)
    }

    @Test("An actor is no busier than the time that passed: the next thread's stay ends one whose end was recorded late", arguments: 0..<2)
    func staysDoNotOverlap(shape: Int) {
        var trace = TraceBuilder()
        let global = trace.executor("global", .global)
        let actor = trace.executor("Store", .actor)
        let tasks = (0..<3).map { _ in trace.create(.detached, "work", on: actor) }
        for (number, task) in tasks.enumerated() {
            trace.lane = UInt16(number + 1)
            trace.enqueue(task)
            trace.start(task, .slice)
            trace.advance(microseconds: 100)
            guard number > 0 else { continue }
            trace.emit(TaskEvent(.suspended, task: task, executor: actor, detail: SuspensionReason.continuation.rawValue))
        }
        // The first thread had lost its core after it had left the actor, after 100 us.
        trace.lane = 1
        if shape == 0 {
            trace.emit(TaskEvent(.suspended, task: tasks[0], executor: actor, detail: SuspensionReason.continuation.rawValue))
        } else {
            let hops = InlineHops(from: actor, count: 1, nanoseconds: 300_000)
            trace.emit(TaskEvent(.hopped, task: tasks[0], other: hops.other, executor: global, detail: HopManner.left.rawValue))
        }
        let store = trace.store()
        #expect(store.executor(actor)?.busy == 300_000)
        #expect(store.executor(actor)?.longestJob?.nanoseconds == 100_000)
    }

    @Test("The threads that an executor uses at a time are counted; an actor uses one")
    func threadsAreCounted() {
        var trace = TraceBuilder()
        let global = trace.executor("global", .global)
        let actor = trace.executor("Store", .actor)
        let tasks = (0..<3).map { _ in trace.create(.detached, "work", on: global) }
        for (number, task) in tasks.enumerated() {
            trace.lane = UInt16(number + 1)
            trace.enqueue(task)
            trace.start(task, .slice)
        }
        for (number, task) in tasks.enumerated() {
            trace.lane = UInt16(number + 1)
            let hops = InlineHops(from: global, count: 2, nanoseconds: 10)
            trace.emit(TaskEvent(.hopped, task: task, other: hops.other, executor: actor, detail: HopManner.inline.rawValue))
            trace.complete(task)
        }
        trace.lane = 1
        trace.start(.none, on: global)
        let store = trace.store()
        #expect(store.executor(global)?.threads == 3)
        #expect(store.executor(actor)?.threads == 1)
    }

    @Test func aRunningJobCountsUntilNow() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.root("stall", on: main)
        trace.enqueue(task)
        trace.start(task)
        let store = trace.store()
        store.advance(to: 4_000)
        #expect(store.executor(main)?.busy == 4_000)
        #expect(store.executor(main)?.longestJob?.nanoseconds == 4_000)
        #expect(store.executor(main)?.longestJob?.task == task)
    }

    @Test("The row of a Swift task shows the executor that the task has come to")
    func executorOfARunningTask() throws {
        var trace = TraceBuilder()
        let (main, global) = (trace.executor("main", .main), trace.executor("global", .global))
        let actor = trace.executor("Store", .actor)
        let task = trace.create(.unstructured, "save", on: main)
        func shown() -> ExecutorID? { trace.store().task(task)?.executor }
        trace.enqueue(task)
        #expect(shown() == main)
        trace.start(task, .slice)
        #expect(shown() == main)
        trace.suspend(task, .executor)
        trace.enqueue(task, on: global)
        #expect(shown() == global)
        trace.start(task, .slice, on: global)
        #expect(shown() == global)
        let hops = InlineHops(from: global, count: 1, nanoseconds: 0)
        trace.emit(TaskEvent(.hopped, task: task, other: hops.other, executor: actor, detail: HopManner.inline.rawValue))
        #expect(shown() == actor)
    }

    @Test("Snapshots tell no times of jobs and of their waits: between two of them, a job may have ended and another one begun")
    func timesOfSnapshots() throws {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let pool = trace.executor("global", .global)
        let task = trace.create(.unstructured, "serve", on: pool)
        trace.enqueue(task)
        trace.advance(milliseconds: 500)
        trace.start(task, .slice)
        trace.advance(milliseconds: 500)
        let store = trace.store()
        let executor = try #require(store.executor(pool))
        #expect(executor.busy == nil && executor.longestJob == nil && executor.worstWait == nil && executor.waits.count == 0)
        let view = try #require(store.task(task))
        #expect(view.busy == nil && view.queuedTime == nil && view.suspendedTime == nil)
        store.forEachBlock { block in
            for fact in [.busy, .queued, .suspended] as [TaskFact] { #expect(block.read(fact)[0] == TaskBlock.unknown) }
        }
    }

    @Test func aQueuedJobKnowsItsOrigin() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let pool = trace.executor("pool", .pool)
        let root = trace.root("root", on: pool)
        trace.run(root)
        let next = trace.continuation("next", of: root, on: main)
        trace.hop(next, from: pool)
        trace.enqueue(next)
        #expect(trace.store().executor(main)?.queue.map(\.from) == [pool])
    }

    @Test(arguments: [EventKind.lost, .thread])
    func aJobOnALostThreadIsNotShownAsRunning(kind: EventKind) {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let task = trace.root("work", on: pool)
        trace.enqueue(task)
        trace.lane = 3
        trace.start(task)
        trace.emit(TaskEvent(kind, other: 77))
        let store = trace.store()
        #expect(store.executor(pool)?.running.isEmpty == true)
        #expect(store.thread(ofLane: 3) == (kind == .thread ? 77 : nil))
        #expect(store.task(task)?.lane == 3)
    }

    @Test("A job whose beginning may be lost is in no queue until a later record of it")
    func lossesAndQueues() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let tasks = (0..<4).map { _ in trace.root("work", on: pool) }
        for task in tasks.prefix(3) { trace.enqueue(task) }
        trace.lane = 1
        trace.lose(2)
        trace.enqueue(tasks[3])
        var store = trace.store()
        #expect(store.executor(pool)?.queue.map(\.task) == [tasks[3]])
        #expect(store.executor(pool)?.depth == 1)
        #expect(tasks.prefix(3).allSatisfy { store.task($0)?.state == .pending && store.task($0)?.isUncertain == true })

        // The first had begun, the second had not, and the third has waited all the time.
        trace.endJob(tasks[0])
        trace.start(tasks[1])
        store = trace.store()
        #expect(store.executor(pool)?.running.map(\.task) == [tasks[1]])
        #expect(store.executor(pool)?.queue.map(\.task) == [tasks[3]])
        #expect(store.task(tasks[1])?.state == .running)
    }

    @Test func theDepthHistoryHasTheGreatestDepthOfEachTenth() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let tasks = (0..<3).map { _ in trace.root("work", on: pool) }
        for task in tasks { trace.enqueue(task) }
        trace.advance(milliseconds: 250)
        trace.start(tasks[0])
        trace.start(tasks[1])
        trace.advance(milliseconds: 100)
        let depths = trace.store().executor(pool)!.depthHistory.depths(until: 450_000_000)
        #expect(depths.count == DepthHistory.bucketCount)
        #expect(depths.suffix(5) == [3, 3, 3, 1, 1])
        #expect(depths.dropLast(5).allSatisfy { $0 == 0 })
        #expect(trace.store().executor(pool)!.depthHistory.depths(until: .max).allSatisfy { $0 == 1 })
    }

    @Test func heldJobsAreCountedUntilTheyAreReleased() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let tasks = (0..<4).map { _ in trace.root("work", on: pool) }
        for task in tasks {
            trace.enqueue(task)
            trace.emit(TaskEvent(.held, task: task, executor: pool))
        }
        // A repeated record, or one of an unknown task, changes nothing.
        trace.emit(TaskEvent(.held, task: tasks[0], executor: pool))
        trace.emit(TaskEvent(.held, task: TaskID(rawValue: 99), executor: pool))
        trace.emit(TaskEvent(.held, executor: pool))
        #expect(trace.store().heldCount == 4)
        #expect(trace.store().executor(pool)?.heldCount == 4)
        trace.emit(TaskEvent(.stepped, task: tasks[0], executor: pool))
        // The release record is late or lost; another job was cancelled while it was held.
        trace.start(tasks[1])
        trace.cancel(tasks[2], .token)
        let store = trace.store()
        #expect(store.heldCount == 1 && store.executor(pool)?.heldCount == 1)
        #expect(tasks.map { store.task($0)?.isHeld } == [false, false, false, true])
        #expect(store.executor(pool)?.queue.map(\.task) == [tasks[0], tasks[3]])
        trace.emit(TaskEvent(.stepped, task: tasks[3], executor: pool))
        #expect(trace.store().heldCount == 0)
    }
}
