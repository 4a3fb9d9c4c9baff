import AlecrimTasks
import Foundation
import Testing
import TraceTestKit

/// Finishing a task: any thread may do it, and it happens once.
@Suite(.explored) struct FinishTests {
    enum Way: String, CaseIterable, Sendable {
        case finishWithValue, finishWithError, finishWithValueAndNoError, finishWithErrorAndNoValue, finishWithBoth, cancel, nonsense

        static let sensible = allCases.filter { $0 != .nonsense }

        func apply(to task: Task<Int>) {
            switch self {
            case .finishWithValue: task.finishWithValue(1)
            case .finishWithError: task.finishWithError(Boom("one"))
            case .finishWithValueAndNoError: task.finishWithValue(2, error: nil)
            case .finishWithErrorAndNoValue: task.finishWithValue(nil, error: Boom("two"))
            case .finishWithBoth: task.finishWithValue(3, error: Boom("three"))
            case .cancel: task.cancel()
            case .nonsense: task.finishWithValue(nil, error: nil)
            }
        }

        var outcome: String {
            switch self {
            case .finishWithValue: "value 1"
            case .finishWithError: "error one"
            case .finishWithValueAndNoError: "value 2"
            case .finishWithErrorAndNoValue: "error two"
            // The error beats the value.
            case .finishWithBoth: "error three"
            case .cancel: cancelled
            case .nonsense: ""
            }
        }
    }

    @Test("Set twice, trySet twice, cancel after completion: the first wins, the others are ignored", arguments: Way.sensible, Way.allCases)
    func theFirstToFinishWins(first: Way, second: Way) {
        let task: Task<Int> = asyncEx { task in
            first.apply(to: task)
            second.apply(to: task)
        }
        #expect(outcome(of: task) == first.outcome)
    }

    @Test func neitherAValueNorAnErrorEndsTheProgram() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let task: Task<Int> = asyncEx { _ in }
            FinishTests.Way.nonsense.apply(to: task)
        }
        #expect(lastWords(result).contains("Invalid combination of value/error."))
    }

    @Test func finishWithoutAValueEndsOnlyTasksWithoutAValue() async {
        let task: Task<Void> = asyncEx { $0.finish() }
        #expect(outcome(of: task) == "value ()")
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let task: Task<Int> = asyncEx { _ in }
            task.finish()
        }
        #expect(lastWords(result).contains("`Self.ValueType` is not `Void`."))
    }

    @Test("Lock held while continuations run: no; any thread may finish a task")
    func aTaskMayBeFinishedFromAnyThread() {
        let tasks: [Task<Int>] = (0..<100).map { _ in asyncEx { _ in } }
        let finishers: [NonFailableTask<Void>] = (0..<4).map { number in
            async { for task in tasks { task.finishWithValue(number) } }
        }
        for finisher in finishers { `await`(finisher) }
        #expect(tasks.allSatisfy { (0..<4).contains($0.value ?? -1) })
    }

    @Test("Continuation returns a task, an error object, nil: the body's return value is the task's value, whatever its type")
    func whatABodyReturnsIsTheValueWhateverItIs() throws {
        let inner: Task<Int> = async { 4 }
        let outer: Task<Task<Int>> = async { inner }
        #expect(try `await`(`await`(outer)) == 4)
        let error: Task<Boom> = async { Boom() }
        #expect(outcome(of: error) == "value boom")
        let nothing: Task<Int?> = async { nil }
        #expect(outcome(of: nothing) == "value nil")
    }

    #if DEBUG
        @Test("Never-completed task: the program ends when the task is released, with the original's message")
        func releasingATaskThatNobodyFinishedEndsTheProgram() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                func drop() {
                    let _: Task<Int> = asyncEx { _ in }
                }
                drop()
                while true { await _Concurrency.Task.yield() }
            }
            #expect(lastWords(result).contains("Either value or error were never assigned or task was never cancelled."))
        }
    #endif
}
