import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Tasks that end twice, never, or too late.
@Suite struct CompletedTwiceTests {
    private static func trace(isError: Bool, times: Int = 1) -> TraceBuilder {
        var trace = TraceBuilder()
        let source = trace.source("answer")
        trace.complete(source)
        for _ in 0..<times {
            trace.advance(milliseconds: 1)
            trace.completeTwice(source, isError: isError)
        }
        return trace
    }

    @Test("Each second set is reported")
    func found() {
        let trace = Self.trace(isError: true, times: 2)
        let warned = Warned(trace, isOver: false)
        #expect(warned.rules == ["completed-twice"])
        #expect(warned.findings("completed-twice").count == 2)
        #expect(warned.evidence("completed-twice") == ["completed 1", "completedTwice 1"])
        #expect(warned.messages.first == "`answer` had ended and was set again.")
        #expect(warned.unproven(trace).isEmpty)
    }

    @Test("A late trySet that returned false is not reported, and neither is a source that was never set", arguments: [0, 3])
    func tried(times: Int) {
        #expect(Warned(Self.trace(isError: false, times: times)).list.isEmpty)
    }
}

@Suite struct NeverCompletedTests {
    private static func trace(nanoseconds: UInt64, _ more: (inout TraceBuilder, TaskID) -> Void = { _, _ in }) -> TraceBuilder {
        var trace = TraceBuilder()
        let source = trace.source("answer")
        _ = trace.continuation("report", of: source)
        more(&trace, source)
        trace.advance(nanoseconds: nanoseconds)
        trace.mark("end")
        return trace
    }

    @Test("A source that is pending at the trace's end beyond the threshold, with nothing left to set it, is reported")
    func boundary() {
        let trace = Self.trace(nanoseconds: 100_000_001)
        let warned = Warned(trace)
        #expect(warned.rules == ["never-completed"])
        #expect(warned.evidence("never-completed") == ["created 1", "created 2"])
        #expect(
            warned.messages == [
                "`answer` was not completed in 100.0 ms, and nothing was left that could complete it. 1 task waited for it."
            ])
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(nanoseconds: 100_000_000)).list.isEmpty)
    }

    @Test("In a live trace a pending source is not reported, because it may still be set")
    func live() {
        #expect(Warned(Self.trace(nanoseconds: 60_000_000_000), isOver: false).list.isEmpty)
    }

    @Test("A task that runs, waits for its turn or sleeps may still set the source", arguments: [TaskState.running, .queued, .pending])
    func quiet(state: TaskState) {
        let trace = Self.trace(nanoseconds: 900_000_000) { trace, _ in
            let queue = trace.executor("queue", .queue)
            switch state {
            case .queued: trace.enqueue(trace.root("other", on: queue))
            case .running: trace.start(trace.root("other", on: queue))
            default: _ = trace.delay()
            }
        }
        #expect(Warned(trace).list.isEmpty)
    }

    @Test("A released pending source is reported at once, before the trace's end")
    func released() {
        let trace = Self.trace(nanoseconds: 200_000_000) { trace, source in trace.release(source) }
        let warned = Warned(trace, isOver: false)
        #expect(warned.evidence("never-completed") == ["created 1", "created 2", "released 1"])
        #expect(warned.messages == ["`answer` was never completed, and can no longer be: nothing refers to it. 1 task waited for it."])
        #expect(Warned(trace).list.count == 1)
    }
}

@Suite struct LateCancelTests {
    /// A task that waits for another one and is cancelled; the other one continues.
    private static func trace(nanoseconds: UInt64, isWanted: Bool = false) -> TraceBuilder {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let outer = trace.root("load", on: queue)
        trace.start(outer)
        let inner = trace.root("fetch", on: queue)
        trace.enqueue(inner)
        trace.wait(outer, forInner: inner)
        trace.endJob(outer)
        if isWanted { _ = trace.continuation("cache", of: inner, on: queue) }
        trace.start(inner)
        trace.advance(milliseconds: 5)
        trace.cancel(outer, .token)
        trace.advance(nanoseconds: nanoseconds)
        trace.complete(inner)
        trace.endJob(inner)
        return trace
    }

    @Test("Work that continues after its waiting task was cancelled is reported beyond the threshold")
    func boundary() {
        let trace = Self.trace(nanoseconds: 100_000_001)
        let warned = Warned(trace)
        #expect(warned.rules == ["late-cancel"])
        #expect(warned.evidence("late-cancel") == ["cancelled 1", "completed 2"])
        #expect(warned.messages == ["`load` was cancelled, and `fetch`, which it had waited for, worked on for 100.0 ms."])
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(nanoseconds: 100_000_000)).list.isEmpty)
    }

    @Test("Work that another task also waits for is not reported")
    func wanted() {
        #expect(Warned(Self.trace(nanoseconds: 900_000_000, isWanted: true)).rules.contains("late-cancel") == false)
    }

    @Test(
        "A job that continues after its task was cancelled is reported; a body that throws a cancellation is not", arguments: [true, false])
    func ownJob(isAsked: Bool) {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let task = trace.root("load", on: queue)
        trace.start(task)
        trace.lane = 1
        trace.cancel(task, isAsked ? .asked : .thrown)
        trace.lane = 0
        trace.advance(milliseconds: 150)
        trace.endJob(task)
        #expect(Warned(trace).messages == (isAsked ? ["`load` was cancelled, and its job ran on for 150.0 ms."] : []))
    }
}

@Suite struct WaitCycleTests {
    @Test("A task that waits for itself is reported")
    func itself() {
        var trace = TraceBuilder()
        let task = trace.root("loop")
        trace.start(task, .inline)
        trace.wait(task, forInner: task)
        #expect(Warned(trace).messages == ["`loop` waits for itself, and never ends."])
        trace.advance(milliseconds: 101)
        trace.mark("later")
        #expect(Warned(trace, isOver: false).rules == ["wait-cycle"])
    }

    @Test("A circle of Swift tasks that ran, waited and were queued before is proven by events that the trace has")
    func afterOtherWaits() throws {
        var swift = SwiftTrace()
        let tasks = ["one", "two"].map { swift.task($0, .detached) }
        for task in tasks {
            swift.enqueue(task, on: swift.global)
            swift.wait(milliseconds: 3)
            swift.begin(task, on: swift.global)
            swift.wait(milliseconds: 2)
            swift.suspend(task)
            swift.wait(milliseconds: 40)
            swift.enqueue(task, on: swift.global)
            swift.wait(milliseconds: 7)
            swift.begin(task, on: swift.global)
        }
        swift.suspend(tasks[0], .task, awaiting: tasks[1])
        swift.wait(milliseconds: 5)
        swift.suspend(tasks[1], .task, awaiting: tasks[0])
        swift.wait(milliseconds: 900)
        swift.trace.mark("now")
        let warned = Warned(swift.trace, isOver: false)
        #expect(warned.unproven(swift.trace).isEmpty)
        let finding = try #require(warned.findings("wait-cycle").first)
        let history = TraceHistory()
        history.latest.entries = swift.trace.entries
        history.apply(swift.trace.batch)
        let events = finding.evidence.compactMap { $0.number(in: history) }.map { swift.trace.events[$0 - 1] }
        #expect(events.map(\.kind) == [.suspended, .suspended])
        #expect(events.map(\.other) == [tasks[1].rawValue, tasks[0].rawValue])
    }

    /// A body on a serial queue that blocks on a task whose job is in the same queue.
    private static func deadlock(nanoseconds: UInt64, jobOn other: Bool = false) -> TraceBuilder {
        var trace = TraceBuilder()
        let queue = trace.executor("serial", .queue)
        let another = trace.executor("another", .queue)
        let outer = trace.root("outer", on: queue)
        trace.start(outer)
        let inner = trace.root("inner", on: other ? another : queue)
        trace.enqueue(inner)
        trace.beginWait(for: inner, by: outer)
        trace.advance(nanoseconds: nanoseconds)
        trace.mark("now")
        return trace
    }

    @Test("A body that blocks on a job of its own queue is reported once that job has been queued beyond the threshold")
    func boundary() {
        let trace = Self.deadlock(nanoseconds: 100_000_001)
        let warned = Warned(trace)
        #expect(warned.evidence("wait-cycle") == ["waitBegan 2", "enqueued 2"])
        #expect(
            warned.messages.first
                == "`outer` blocks on `inner`, which needs a thread of serial, blocked by `outer`: none of them can end.")
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(trace, isOver: false).rules.first == "wait-cycle")
        #expect(Warned(Self.deadlock(nanoseconds: 100_000_000)).rules == ["blocking-wait"])
    }

    @Test("A body that blocks on another queue's job is not reported")
    func elsewhere() {
        #expect(Warned(Self.deadlock(nanoseconds: 900_000_000, jobOn: true)).rules == ["blocking-wait"])
    }

    @Test("A cycle through continuations, joins and inner tasks is reported once for all its tasks", arguments: [true, false])
    func long(isClosed: Bool) {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let (one, source) = (trace.root("one", on: queue), trace.source("source"))
        trace.start(one)
        let two = trace.continuation("two", of: one, on: queue)
        let join = trace.join("all", of: isClosed ? [two] : [two, source])
        let three = trace.continuation("three", of: join, on: queue)
        trace.wait(one, forInner: three)
        trace.endJob(one)
        trace.advance(milliseconds: 900)
        trace.mark("now")
        let warned = Warned(trace, isOver: false)
        #expect(warned.list.count == (isClosed ? 1 : 0))
        guard isClosed else { return }
        #expect(
            warned.messages == [
                "`one` returned `three`, which continues `all`, which continues `two`, which continues `one`: none of them can end."
            ])
    }

    @Test("A wait that times out ends the cycle and its finding")
    func timedOut() {
        var trace = Self.deadlock(nanoseconds: 500_000_000)
        trace.endWait(for: TaskID(rawValue: 2), by: TaskID(rawValue: 1), timedOut: true)
        #expect(Warned(trace, isOver: false).findings("wait-cycle").isEmpty)
    }
}
