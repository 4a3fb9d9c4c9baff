import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@Suite struct UnobservedFaultTests {
    /// A task that fails, and a continuation that its error skips.
    private static func skipped() -> (trace: TraceBuilder, save: TaskID, submit: TaskID) {
        var trace = TraceBuilder()
        let save = trace.root("save", line: 12)
        trace.advance(milliseconds: 1)
        trace.fault(save, type: "Kinesis", message: "throttled")
        let submit = trace.continuation("submit", of: save, line: 13)
        trace.skip(submit)
        return (trace, save, submit)
    }

    @Test("An error that is unread at the end is reported with the tasks it passed")
    func found() {
        let (trace, _, _) = Self.skipped()
        let warned = Warned(trace)
        #expect(warned.rules == ["unobserved-fault"])
        #expect(warned.evidence("unobserved-fault") == ["faulted 1", "faulted 2"])
        #expect(
            warned.messages == [
                "`save` failed with Kinesis.throttled, and the error was never read. It was passed on to 1 more task, and was never read there either."
            ])
        #expect(warned.unproven(trace).isEmpty)
    }

    @Test("In a live trace the error is reported once the last task that has it is released")
    func live() {
        var (trace, save, submit) = Self.skipped()
        trace.release(save)
        trace.advance(milliseconds: 500)
        #expect(Warned(trace, isOver: false).list.isEmpty)
        trace.release(submit)
        trace.advance(milliseconds: 100)
        trace.mark("patience")
        #expect(Warned(trace, isOver: false).list.isEmpty)
        trace.advance(nanoseconds: 1)
        trace.mark("more than that")
        #expect(Warned(trace, isOver: false).rules == ["unobserved-fault"])
    }

    @Test("An error that a body or outside code read is not reported", arguments: [false, true])
    func read(isOutside: Bool) {
        var (trace, _, submit) = Self.skipped()
        if isOutside {
            trace.readError(of: submit)
        } else {
            let report = trace.continuation("report", of: submit)
            trace.start(report, .inline)
            trace.readError(of: submit, by: report)
            trace.complete(report)
        }
        #expect(Warned(trace).list.isEmpty)
    }

    @Test("After a loss of records the rule is quiet, because the error may have been read")
    func lost() {
        var (trace, _, _) = Self.skipped()
        trace.lose(1)
        #expect(Warned(trace).list.isEmpty)
    }

    @Test("While a task that takes the error has not ended, the rule is quiet")
    func pending() {
        var (trace, _, submit) = Self.skipped()
        let queue = trace.executor("queue", .queue)
        let late = trace.continuation("late", of: submit, on: queue)
        trace.enqueue(late)
        #expect(Warned(trace).list.isEmpty)
    }

    /// `save` fails and waits for `later`, so the store keeps it while it evicts other tasks.
    private static func evicting(_ write: (inout TraceBuilder, _ save: TaskID) -> Void) -> (store: TraceStore, save: TaskID) {
        var trace = TraceBuilder()
        func makeNoise() { for _ in 0..<10 { trace.complete(trace.source("noise")) } }
        makeNoise()
        let save = trace.root("save")
        let later = trace.continuation("later", of: save, on: trace.executor("disk", .queue))
        trace.fault(save, type: "Kinesis")
        write(&trace, save)
        makeNoise()
        trace.cancel(later)
        trace.release(save)
        trace.advance(milliseconds: 101)
        trace.mark("more than the rule's patience")
        return (trace.store(retention: Retention(endedTasks: 3)), save)
    }

    @Test("In a store that has evicted other tasks an unread error is reported")
    func othersEvicted() {
        let (store, save) = Self.evicting { _, _ in }
        #expect(store.evictedCount > 10)
        let list = WarningEngine().list(in: store, isOver: false)
        #expect(list.findings.map(\.rule) == ["unobserved-fault"])
        #expect(list.findings.map(\.task) == [save])
    }

    @Test("An error is not reported if an evicted task may have taken it, and its verdict is unknown")
    func takerEvicted() throws {
        let (store, save) = Self.evicting { trace, save in
            let all = trace.join(of: [save])
            trace.forwardFault(all, from: save)
            let report = trace.continuation("report", of: all)
            trace.start(report, .inline)
            trace.readError(of: all, by: report)
            trace.complete(report)
        }
        let path = try #require(FaultAnalysis(store).path(from: save))
        #expect(path.steps.map(\.task) == [save])
        #expect(path.verdict == .unknown)
        #expect(WarningEngine().list(in: store, isOver: false).isEmpty)
    }

    @Test("An error that came from an evicted task is not reported")
    func originEvicted() {
        var trace = TraceBuilder()
        let save = trace.source("save")
        trace.fault(save, type: "Kinesis")
        let all = trace.join(of: [save])
        trace.forwardFault(all, from: save)
        trace.complete(trace.source("noise"))
        trace.release(all)
        trace.advance(milliseconds: 101)
        trace.mark("more than the rule's patience")
        let store = trace.store(retention: Retention(endedTasks: 2))
        #expect(store.task(save) == nil && store.task(all) != nil)
        #expect(WarningEngine().list(in: store, isOver: false).isEmpty)
    }

    @Test("A fault is reported once, however often the list is asked for, and whether or not the trace goes on")
    func once() {
        var (trace, save, submit) = Self.skipped()
        trace.release(save)
        trace.release(submit)
        trace.advance(milliseconds: 200)
        trace.mark("later")
        let store = trace.store()
        let engine = WarningEngine()
        for isOver in [false, false, true, true] { #expect(engine.list(in: store, isOver: isOver).count == 1) }
    }
}

@Suite struct SwallowedErrorTests {
    /// A body that runs on a failed antecedent.
    private static func ran(reading: Bool) -> TraceBuilder {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let load = trace.root("load")
        trace.fault(load, type: "Timeout")
        let next = trace.continuation("next", of: load, on: queue)
        trace.enqueue(next)
        trace.start(next)
        if reading { trace.readError(of: load, by: next) }
        trace.complete(next)
        trace.endJob(next)
        return trace
    }

    @Test("A body that ran on a failed antecedent without reading its error is reported")
    func found() {
        let trace = Self.ran(reading: false)
        let warned = Warned(trace)
        #expect(warned.rules == ["swallowed-error"])
        #expect(warned.evidence("swallowed-error") == ["faulted 1", "started 2"])
        #expect(warned.messages == ["`load` failed with Timeout, and `next` ran on it without reading it."])
        #expect(warned.unproven(trace).isEmpty)
    }

    @Test("A body that reads the error is not reported")
    func read() {
        #expect(Warned(Self.ran(reading: true)).list.isEmpty)
    }

    @Test("An error that one body ignored and another read is not reported")
    func oneOfTwo() {
        var trace = Self.ran(reading: false)
        let second = trace.continuation("second", of: TaskID(rawValue: 1))
        trace.start(second, .inline)
        trace.readError(of: TaskID(rawValue: 1), by: second)
        trace.complete(second)
        #expect(Warned(trace).list.isEmpty)
    }

    @Test("A whenAny that succeeds before its input fails leaves an unobserved error; one that succeeds after it swallows the error")
    func joins() {
        func rules(isFirst: Bool) -> [String] {
            var trace = TraceBuilder()
            let (slow, fast) = (trace.source("slow"), trace.source("fast"))
            let any = trace.join("whenAny", of: [slow, fast])
            if isFirst { trace.fault(slow, type: "Late") }
            trace.advance(milliseconds: 1)
            trace.complete(fast)
            trace.complete(any)
            trace.advance(milliseconds: 1)
            if !isFirst { trace.fault(slow, type: "Late") }
            return Warned(trace).rules
        }
        #expect(rules(isFirst: true) == ["swallowed-error"])
        #expect(rules(isFirst: false) == ["unobserved-fault"])
    }
}
