import Testing
import TraceTestKit

@testable import TaskRuntime

@Suite(.explored) struct JoinTests {
    /// The inputs' outcomes in order: a number succeeds, "x" and "y" fault with that text, "agg" with an aggregate, "-" is cancelled.
    struct Row: Sendable, CustomTestStringConvertible {
        let inputs: [String]
        let all: String
        let results: String
        let any: String

        init(_ inputs: String, all: String, results: String? = nil, any: String) {
            self.inputs = inputs.split(separator: " ").map(String.init)
            self.all = all
            self.results = results ?? all
            self.any = any
        }

        var testDescription: String { "[\(inputs.joined(separator: " "))]" }
    }

    static let table = [
        Row("", all: "success ()", results: "success []", any: "faulted AggregateError()"),
        Row("1", all: "success ()", results: "success [1]", any: "success 1"),
        Row("1 2 3", all: "success ()", results: "success [1, 2, 3]", any: "success 1"),
        Row("x", all: "faulted x", any: "faulted x"),
        Row("-", all: "cancelled", any: "cancelled"),
        Row("- -", all: "cancelled", any: "cancelled"),
        Row("1 x", all: "faulted x", any: "success 1"),
        Row("x 1", all: "faulted x", any: "success 1"),
        Row("1 -", all: "cancelled", any: "success 1"),
        Row("- 1", all: "cancelled", any: "success 1"),
        Row("x -", all: "faulted x", any: "faulted x"),
        Row("- x", all: "faulted x", any: "faulted x"),
        Row("x y", all: "faulted AggregateError(x, y)", any: "faulted AggregateError(x, y)"),
        Row("y - x", all: "faulted AggregateError(y, x)", any: "faulted AggregateError(y, x)"),
        Row("x 2 y", all: "faulted AggregateError(x, y)", any: "success 2"),
        Row("x x", all: "faulted AggregateError(x, x)", any: "faulted AggregateError(x, x)"),
        Row("agg", all: "faulted AggregateError(p, q)", any: "faulted AggregateError(p, q)"),
        Row("agg x", all: "faulted AggregateError(AggregateError(p, q), x)", any: "faulted AggregateError(AggregateError(p, q), x)"),
        Row("1 2 x - agg", all: "faulted AggregateError(x, AggregateError(p, q))", any: "success 1"),
    ]

    static func end(_ source: TaskCompletionSource<Int>, as input: String) {
        switch input {
        case "-": source.setCancelled()
        case "agg": source.set(error: AggregateError(errors: [Boom("p"), Boom("q")]))
        default:
            if let value = Int(input) { source.set(value) } else { source.set(error: Boom(input)) }
        }
    }

    private static func check(_ row: Row, _ tasks: [ChainTask<Int>], ending end: () -> Void, any: String? = nil) {
        let joins = (ChainTask.whenAll(tasks), ChainTask.whenAllResults(tasks), ChainTask.whenAny(tasks))
        end()
        #expect(joins.0.summary == row.all)
        #expect(joins.1.summary == row.results)
        #expect(joins.2.summary == any ?? row.any)
    }

    @Test(arguments: table)
    func aJoinOfEndedTasksHasTheirJoinedOutcome(_ row: Row) {
        let sources = row.inputs.map { input in
            let source = TaskCompletionSource<Int>()
            Self.end(source, as: input)
            return source
        }
        Self.check(row, sources.map(\.task)) {}
    }

    @Test(arguments: table)
    func aJoinOfTasksThatEndInOrderHasTheirJoinedOutcome(_ row: Row) {
        let sources = row.inputs.map { _ in TaskCompletionSource<Int>() }
        Self.check(row, sources.map(\.task)) {
            for (source, input) in zip(sources, row.inputs) { Self.end(source, as: input) }
        }
    }

    /// Errors keep the order of the inputs; the first success is the earliest.
    @Test(arguments: table)
    func aJoinOfTasksThatEndInReverseHasTheirJoinedOutcome(_ row: Row) {
        let sources = row.inputs.map { _ in TaskCompletionSource<Int>() }
        let lastNumber = row.inputs.last { Int($0) != nil }
        Self.check(
            row, sources.map(\.task),
            ending: {
                for (source, input) in zip(sources, row.inputs).reversed() { Self.end(source, as: input) }
            }, any: lastNumber.map { "success \($0)" })
    }

    @Test func aRepeatedInputCountsTwice() {
        let source = TaskCompletionSource<Int>()
        let tasks = [source.task, ChainTask(1), source.task]
        let all = ChainTask.whenAll(tasks), results = ChainTask.whenAllResults(tasks)
        source.set(error: Boom("x"))
        #expect(all.summary == "faulted AggregateError(x, x)" && results.summary == "faulted AggregateError(x, x)")
        let value = ChainTask(2)
        #expect(ChainTask.whenAllResults([value, value]).result == [2, 2])
        #expect(ChainTask.whenAny([value, value]).result == 2)
    }

    @Test func whenAllWaitsForAllInputsAlsoAfterAnError() {
        let source = TaskCompletionSource<Int>()
        let all = ChainTask.whenAll([ChainTask(error: Boom("x")), source.task])
        #expect(!all.isCompleted)
        source.set(1)
        #expect(all.summary == "faulted x")
    }

    @Test func whenAnyDoesNotWaitForTheOtherInputs() {
        let source = TaskCompletionSource<Int>()
        let any = ChainTask.whenAny([source.task, ChainTask(error: Boom("x")), ChainTask(3)])
        #expect(any.summary == "success 3")
        source.set(1)
        #expect(any.summary == "success 3")
    }

    @Test func aSingleErrorIsForwardedUnchanged() {
        final class Own: Error {}
        let error = Own()
        let all = ChainTask<Void>.whenAll([ChainTask(error: error), .cancelled()])
        #expect(all.error as? Own === error)
    }

    @Test func aJoinRunsItsContinuationsWhenTheLastInputEnds() {
        let log = Log(), sources = (TaskCompletionSource<Int>(), TaskCompletionSource<Int>())
        ChainTask.whenAll([sources.0.task, sources.1.task]).continueWith { _ in log.add("joined") }
        sources.0.task.continueWith { _ in log.add("0") }
        sources.1.task.continueWith { _ in log.add("1") }
        sources.1.set(1)
        sources.0.set(1)
        #expect(log.lines == ["1", "joined", "0"])
    }
}
