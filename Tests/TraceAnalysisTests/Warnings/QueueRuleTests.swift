import TaskEvents
import Testing
import TraceAnalysis
import TraceTestKit

/// Jobs that block threads.
@Suite struct MainStallTests {
    private static func trace(_ kind: ExecutorKind, nanoseconds: UInt64, isOver: Bool = true) -> TraceBuilder {
        var trace = TraceBuilder()
        let executor = trace.executor("main", kind)
        let task = trace.root("render", on: executor)
        trace.enqueue(task)
        trace.advance(milliseconds: 1)
        trace.start(task)
        trace.advance(nanoseconds: nanoseconds)
        trace.complete(task)
        if isOver { trace.endJob(task) }
        return trace
    }

    @Test("A job that occupies main longer than the threshold is reported, one at the threshold is not")
    func boundary() {
        let trace = Self.trace(.main, nanoseconds: 100_000_001)
        let warned = Warned(trace)
        #expect(warned.rules == ["main-stall"])
        #expect(warned.evidence("main-stall") == ["started 1", "jobEnded 1"])
        #expect(warned.messages == ["`render` kept main busy for 100.0 ms."])
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(.main, nanoseconds: 100_000_000)).list.isEmpty)
    }

    @Test("A closure without a task is named by the function that gave it to main, and found at its place")
    func namedClosure() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.startClosure("draw(until:)", on: main, line: 29)
        trace.advance(milliseconds: 250)
        trace.endClosure("draw(until:)", on: main, line: 29)
        let warned = Warned(trace)
        #expect(warned.messages == ["`draw(until:)` kept main busy for 250.0 ms."])
        #expect(warned.list.groups.map(\.site) == ["App/main.swift:29"])
    }

    @Test("A long job on another executor is not reported", arguments: [ExecutorKind.queue, .pool, .custom, .operationQueue])
    func elsewhere(kind: ExecutorKind) {
        #expect(Warned(Self.trace(kind, nanoseconds: 5_000_000_000)).list.isEmpty)
    }

    @Test("A running job is reported while it runs, and once after its end")
    func running() {
        var trace = Self.trace(.main, nanoseconds: 150_000_000, isOver: false)
        #expect(Warned(trace, isOver: false).messages == ["`render` has kept main busy for 150.0 ms."])
        trace.endJob(TaskID(rawValue: 1))
        #expect(Warned(trace, isOver: false).messages == ["`render` kept main busy for 150.0 ms."])
    }

    @Test("A closure without a task stalls main as well")
    func closure() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.start(.none, on: main)
        trace.advance(milliseconds: 300)
        trace.endJob(.none, on: main)
        #expect(Warned(trace).messages == ["A closure kept main busy for 300.0 ms."])
    }

    @Test("After a loss of records the rule is quiet, because the job may have ended unseen")
    func lost() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.root("render", on: main)
        trace.start(task)
        trace.advance(milliseconds: 300)
        trace.lose(3)
        trace.endJob(task)
        #expect(Warned(trace).list.isEmpty)
    }
}

@Suite struct BlockingWaitTests {
    /// A body on `executor` that waits for a source.
    private static func trace(nanoseconds: UInt64, inJob: Bool = true) -> TraceBuilder {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let source = trace.source("answer")
        let body = trace.root("ask", on: pool)
        if inJob {
            trace.enqueue(body)
            trace.start(body)
        }
        trace.beginWait(for: source, by: inJob ? body : .none)
        trace.advance(nanoseconds: nanoseconds)
        trace.complete(source)
        trace.endWait(for: source, by: inJob ? body : .none)
        if !inJob { trace.start(body) }
        trace.complete(body)
        trace.endJob(body)
        return trace
    }

    @Test("A body that blocks longer than the threshold is reported, one at the threshold is not")
    func boundary() {
        let trace = Self.trace(nanoseconds: 10_000_001)
        let warned = Warned(trace)
        #expect(warned.rules == ["blocking-wait"])
        #expect(warned.evidence("blocking-wait") == ["waitBegan 1", "waitEnded 1"])
        #expect(warned.messages == ["`ask` blocked a thread of pool for 10.0 ms, waiting for `answer`."])
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(nanoseconds: 10_000_000)).list.isEmpty)
    }

    @Test("A blocked thread of no executor is not reported")
    func outside() {
        #expect(Warned(Self.trace(nanoseconds: 900_000_000, inJob: false)).list.isEmpty)
    }

    @Test("A wait that has not ended is reported with its time so far")
    func standing() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let source = trace.source("answer")
        let body = trace.root("ask", on: pool)
        trace.start(body)
        trace.beginWait(for: source, by: body)
        trace.advance(milliseconds: 20)
        #expect(Warned(trace, isOver: false).messages == ["`ask` has blocked a thread of pool for 20.0 ms, waiting for `answer`."])
    }
}

@Suite struct PoolStarvationTests {
    /// Two workers, `blocked` of which wait for a source, and a job that needs one of them.
    private static func trace(blocked: Int, nanoseconds: UInt64, isQueued: Bool = true) -> TraceBuilder {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let source = trace.source("answer")
        let workers = (0..<2).map { _ in trace.root("ask", on: pool) }
        for (lane, worker) in workers.enumerated() {
            trace.lane = UInt16(lane)
            trace.start(worker)
            if lane < blocked { trace.beginWait(for: source, by: worker) }
        }
        let job = trace.root("job", on: pool)
        if isQueued { trace.enqueue(job) }
        trace.advance(nanoseconds: nanoseconds)
        trace.complete(source)
        for (lane, worker) in workers.enumerated() {
            trace.lane = UInt16(lane)
            if lane < blocked { trace.endWait(for: source, by: worker) }
            trace.complete(worker)
            trace.endJob(worker)
        }
        if !isQueued { trace.enqueue(job) }
        trace.start(job)
        trace.complete(job)
        trace.endJob(job)
        return trace
    }

    @Test("A job that waited for a pool whose threads were all blocked is reported beyond the threshold")
    func boundary() {
        let trace = Self.trace(blocked: 2, nanoseconds: 100_000_001)
        let warned = Warned(trace)
        #expect(warned.rules == ["pool-starvation", "blocking-wait"])
        #expect(warned.evidence("pool-starvation") == ["enqueued 4", "waitBegan 1", "waitBegan 1", "started 4"])
        #expect(
            warned.messages.first == "`job` waited 100.0 ms for pool, where all 2 running jobs were blocked in a wait.")
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(blocked: 2, nanoseconds: 100_000_000)).rules == ["blocking-wait"])
    }

    @Test("A pool with one free thread, or without a waiting job, is not starved")
    func quiet() {
        #expect(Warned(Self.trace(blocked: 1, nanoseconds: 900_000_000)).rules == ["blocking-wait"])
        #expect(Warned(Self.trace(blocked: 2, nanoseconds: 900_000_000, isQueued: false)).rules == ["blocking-wait"])
    }

    @Test("A starvation is reported while it lasts")
    func standing() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let source = trace.source("answer")
        let worker = trace.root("ask", on: pool)
        trace.start(worker)
        trace.beginWait(for: source, by: worker)
        let job = trace.root("job", on: pool)
        trace.enqueue(job)
        trace.advance(milliseconds: 250)
        let warned = Warned(trace, isOver: false)
        #expect(
            warned.messages.contains("`job` has been waiting 250.0 ms for pool, where its one running job was blocked in a wait."))
    }
}
