import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The sentences about the steps of an error's path.
@Suite struct FaultSentenceTests {
    private var trace = TraceBuilder()
    private let main: ExecutorID
    private let net: ExecutorID
    private let save: TaskID

    init() {
        main = trace.executor("main", .main)
        net = trace.executor("net", .pool)
        save = trace.root("save", on: net)
    }

    private mutating func failSave() {
        trace.enqueue(save)
        trace.start(save)
        trace.advance(milliseconds: 3)
        trace.fault(save, type: "Net", message: "down")
        trace.endJob(save)
    }

    private func sentences() throws -> [String] {
        let store = trace.store()
        let path = try #require(FaultAnalysis(store).path(from: save))
        return path.steps.map { FaultSentence(store).text(of: $0) }
    }

    @Test mutating func aSkipAndARecoveryHaveTheirSentences() throws {
        let submit = trace.continuation("submit", of: save, on: net)
        let report = trace.continuation("report", of: submit, on: main)
        failSave()
        trace.skip(submit)
        trace.advance(microseconds: 1100)
        trace.start(report)
        trace.readError(of: submit, by: report)
        trace.complete(report)
        #expect(
            try sentences() == [
                "`save` on net threw Net.down after 3.0 ms", "`submit` on net was skipped and passed Net.down on",
                "`report` on main read Net.down 1.1 ms later and returned a value: recovered",
            ])
    }

    @Test mutating func readersThatFaultOrAreCancelledHaveTheirSentences() throws {
        let again = trace.continuation("again", of: save, on: main)
        let other = trace.continuation("other", of: save, on: main)
        let cancelled = trace.continuation("cancelled", of: save, on: main)
        failSave()
        for (index, task) in [again, other, cancelled].enumerated() {
            trace.advance(microseconds: 5)
            trace.start(task)
            trace.readError(of: save, by: task)
            switch index {
            case 0: trace.fault(task, type: "Net", message: "down", .forwarded, from: save)
            case 1: trace.fault(task, type: "Other", message: "made", .transformed, from: save)
            default: trace.cancel(task, .thrown)
            }
        }
        #expect(
            try sentences().dropFirst() == [
                "`again` on main read Net.down 5.0 µs later and threw it again, which was never read: unobserved",
                "`other` on main read Net.down 10.0 µs later and ended with Other.made instead, which was never read: unobserved",
                "`cancelled` on main read Net.down 15.0 µs later and ended cancelled: read",
            ])
    }

    @Test mutating func joinsAndBodiesThatDoNotReadTheErrorHaveTheirSentences() throws {
        let second = trace.root("second", on: net)
        let join = trace.join(of: [save, second])
        let after = trace.continuation("after", of: join, on: main)
        let blind = trace.continuation("blind", of: save, on: main)
        failSave()
        trace.start(blind)
        trace.complete(blind)
        trace.fault(second, type: "Net", message: "up")
        trace.fault(join, type: "AggregateError", message: "2 errors", .transformed)
        #expect(
            try sentences().dropFirst() == [
                "`whenAll` gathered Net.down with the errors of other inputs into AggregateError: 2 errors",
                "`blind` on main ran at once without looking at Net.down: swallowed",
                "`after` on main has not ended: what becomes of AggregateError: 2 errors is open",
            ])
        _ = after
    }

    @Test mutating func everyOriginOfAnErrorHasItsSentence() throws {
        trace.fault(save, type: "Net", message: "down", .injected)
        #expect(try sentences() == ["The inspector made `save` on net fail with Net.down"])
    }

    @Test mutating func aSourceThatReceivesItsErrorHasItsSentence() throws {
        trace.fault(save, type: "Net", message: "down")
        #expect(try sentences() == ["`save` on net was given Net.down"])
    }

    @Test mutating func aTruncatedPathIsPartial() throws {
        var tasks = [save]
        for _ in 0..<100 { tasks.append(trace.continuation("next", of: tasks[tasks.count - 1], on: net)) }
        failSave()
        for task in tasks.dropFirst() { trace.skip(task) }
        let store = trace.store()
        let whole = try #require(FaultAnalysis(store).path(from: save))
        #expect(whole.steps.count == 101 && !whole.isPartial && whole.verdict == .unobserved)
        let part = try #require(FaultAnalysis(store).path(from: save, limit: 10))
        #expect(part.isPartial)
        #expect(part.steps == Array(whole.steps.prefix(part.steps.count)))
        #expect(part.steps.count < 20)
    }

    // MARK: Sentences below the error's name, and whole paths

    private func summary() throws -> String {
        let store = trace.store()
        return FaultSentence(store).summary(of: try #require(FaultAnalysis(store).path(from: save)))
    }

    @Test mutating func belowItsNameTheErrorIsCalledIt() throws {
        let submit = trace.continuation("submit", of: save, on: net)
        let report = trace.continuation("report", of: submit, on: main)
        failSave()
        trace.skip(submit)
        trace.start(report)
        trace.readError(of: submit, by: report)
        trace.complete(report)
        let store = trace.store()
        let path = try #require(FaultAnalysis(store).path(from: save))
        #expect(
            path.steps.map { FaultSentence(store, callsErrorIt: true).text(of: $0) } == [
                "`save` on net threw Net.down after 3.0 ms", "`submit` on net was skipped and passed it on",
                "`report` on main read it at once and returned a value: recovered",
            ])
        #expect(
            try summary()
                == "`save` on net failed first. `submit` was skipped. `report` on main read the error and returned a value: recovered.")
    }

    @Test mutating func manySkipsAreCounted() throws {
        var last = save
        for number in 1...4 { last = trace.continuation("step \(number)", of: last, on: net) }
        failSave()
        for number in 1...3 { trace.skip(TaskID(rawValue: save.rawValue + UInt64(number))) }
        #expect(
            try summary() == "`save` on net failed first. `step 1`, `step 2` and `step 3` were skipped. "
                + "No task has read it yet; `step 4` on net will have it.")
        trace.skip(last)
        #expect(
            try summary() == "`save` on net failed first. `step 1`, `step 2` and 2 more were skipped. It was never read: unobserved.")
    }

    @Test mutating func anErrorThatCanBeReadAfterTheTraceHasItsSentence() throws {
        failSave()
        let store = trace.store()
        store.end = .cut
        let path = try #require(FaultAnalysis(store).path(from: save))
        #expect(
            FaultSentence(store).summary(of: path)
                == "`save` on net failed first. Nothing was skipped. No task had read it when the trace ended.")
    }

    @Test mutating func readingAndNonReadingBodiesHaveDistinctSentences() throws {
        let blind = trace.continuation("blind", of: save, on: main)
        failSave()
        trace.start(blind)
        trace.complete(blind)
        #expect(
            try summary() == "`save` on net failed first. Nothing was skipped. `blind` on main ran without looking at it: swallowed.")
    }

    @Test mutating func aReadOutsideTheTasksHasItsSentence() throws {
        failSave()
        trace.readError(of: save)
        #expect(try summary() == "`save` on net failed first. Nothing was skipped. It was read outside of the tasks: read.")
    }

    @Test mutating func anInjectedOriginNamesTheInspector() throws {
        trace.fault(save, type: "Net", message: "down", .injected)
        #expect(try summary() == "The inspector made `save` on net fail. Nothing was skipped. It was never read: unobserved.")
    }
}
