import Testing

@testable import TaskRuntime

/// Finished tasks and roots: their outcomes, and the properties that report them.
struct FinishedTaskTests {
    struct Ended: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable () -> ChainTask<Int>
        let isFaulted: Bool
        let isCancelled: Bool

        init(_ summary: String, faulted: Bool = false, cancelled: Bool = false, _ make: @escaping @Sendable () -> ChainTask<Int>) {
            testDescription = summary
            isFaulted = faulted
            isCancelled = cancelled
            self.make = make
        }
    }

    static let table = [
        Ended("success 4") { ChainTask(4) },
        Ended("faulted boom", faulted: true) { ChainTask(error: Boom()) },
        Ended("faulted CancellationError()", faulted: true) { ChainTask(error: CancellationError()) },
        Ended("cancelled", cancelled: true) { .cancelled() },
        Ended("success 5") { ChainTask { 5 } },
        Ended("success 6") { ChainTask(on: .immediate) { 6 } },
        Ended("faulted boom", faulted: true) { ChainTask { throw Boom() } },
        Ended("cancelled", cancelled: true) { ChainTask { throw CancellationError() } },
        Ended("success 7") { .flattening { ChainTask(7) } },
        Ended("faulted boom", faulted: true) { .flattening { ChainTask(error: Boom()) } },
        Ended("faulted thud", faulted: true) { .flattening { throw Thud() } },
        Ended("cancelled", cancelled: true) { .flattening { .cancelled() } },
        Ended("cancelled", cancelled: true) { .flattening { throw CancellationError() } },
        Ended("faulted CancellationError()", faulted: true) { .flattening { ChainTask(error: CancellationError()) } },
    ]

    @Test(arguments: table)
    func aFinishedTaskHasItsOutcome(_ row: Ended) {
        let task = row.make()
        #expect(task.summary == row.testDescription)
        #expect(task.isCompleted)
        #expect(task.isFaulted == row.isFaulted)
        #expect(task.isCancelled == row.isCancelled)
        #expect((task.error != nil) == row.isFaulted)
        #expect((task.result != nil) == !(row.isFaulted || row.isCancelled))
    }

    @Test(arguments: table)
    func valueThrowsTheErrorOrACancellationError(_ row: Ended) async {
        let task = row.make()
        do {
            #expect("success \(try await task.value)" == row.testDescription)
        } catch is CancellationError where row.isCancelled {
        } catch {
            #expect("faulted \(error)" == row.testDescription)
        }
    }

    @Test func aPendingTaskHasNoOutcome() {
        let source = TaskCompletionSource<Int>()
        let task = source.task
        #expect(task.summary == "pending")
        #expect(task.result == nil && task.error == nil)
        #expect(!task.isCompleted && !task.isFaulted && !task.isCancelled)
        source.set(1)
    }

    @Test(arguments: [("immediate", ChainExecutor.immediate), ("default", .default)])
    func rootsOfInlineExecutorsRunBeforeInitReturns(name: String, executor: ChainExecutor) {
        let log = Log()
        ChainTask(on: executor) { log.add("body") }.continueWith(on: executor) { _ in log.add("continuation") }
        log.add("returned")
        ChainTask<Void>.flattening(on: executor) {
            log.add("flattening")
            return ChainTask(())
        }
        .continueWith { _ in log.add("after it") }
        log.add("returned")
        #expect(log.lines == ["body", "continuation", "returned", "flattening", "after it", "returned"])
    }
}
