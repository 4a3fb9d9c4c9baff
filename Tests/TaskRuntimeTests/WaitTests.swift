import Dispatch
import Testing
import TraceTestKit

@testable import TaskRuntime

@Suite(.explored) struct WaitTests {
    @Test func anEndedTaskBlocksNoWaiter() {
        ChainTask(1).wait()
        #expect(ChainTask<Int>(error: Boom()).wait(timeout: .zero))
        #expect(ChainTask<Int>.cancelled().wait(timeout: .seconds(-1)))
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .seconds(-5), .seconds(Int64.min)])
    func aWaitForAPendingTaskTimesOut(after timeout: Duration) {
        let source = TaskCompletionSource<Int>()
        #expect(!source.task.wait(timeout: timeout))
        source.set(1)
        #expect(source.task.wait(timeout: timeout))
    }

    @Test(arguments: [Duration.seconds(60), .seconds(Int64.max), .seconds(9_223_372_036) + .nanoseconds(999_999_999)])
    func aLongTimeoutEndsWithTheTask(_ timeout: Duration) {
        let source = TaskCompletionSource<Int>()
        DispatchQueue(label: "setter").async { source.set(1) }
        #expect(source.task.wait(timeout: timeout))
    }

    @Test(arguments: [nil, Duration.seconds(60)])
    func waitersAreReleasedBeforeContinuationsRun(timeout: Duration?) {
        let source = TaskCompletionSource<Int>(), log = Log()
        let hasBegun = DispatchSemaphore(value: 0), hasReturned = DispatchSemaphore(value: 0), hasEnded = DispatchSemaphore(value: 0)
        source.task.continueWith { _ in
            // The waiter returns while this body still runs.
            _ = hasReturned.wait(timeout: .now() + 20)
            log.add("continued")
            hasEnded.signal()
        }
        DispatchQueue(label: "waiter").async {
            hasBegun.signal()
            if let timeout { _ = source.task.wait(timeout: timeout) } else { source.task.wait() }
            log.add("waited")
            hasReturned.signal()
        }
        hasBegun.wait()
        source.set(1)
        hasEnded.wait()
        #expect(log.lines == ["waited", "continued"])
    }

    @Test func severalThreadsMayWait() {
        let source = TaskCompletionSource<Int>(), done = DispatchGroup()
        for number in 0..<4 {
            DispatchQueue(label: "waiter \(number)").async(group: done) { source.task.wait() }
        }
        source.set(1)
        #expect(done.wait(timeout: .now() + 20) == .success)
    }
}

@Suite(.explored) struct DelayTests {
    @Test func aDelaySucceedsAtItsTime() {
        let timers = VirtualTimers(), log = Log()
        Timers.$current.withValue(timers) {
            for seconds in [3, 1, 2] {
                ChainTask.delay(.seconds(seconds)).continueWith { _ in log.add("\(seconds) at \(timers.now)") }
            }
            timers.advance(by: .milliseconds(2500))
            #expect(log.lines == ["1 at 1.0 seconds", "2 at 2.0 seconds"])
            timers.advance(by: .seconds(1))
        }
        #expect(log.lines.last == "3 at 3.0 seconds")
    }

    @Test func aChainOfDelaysAddsUp() {
        let timers = VirtualTimers(), log = Log()
        Timers.$current.withValue(timers) {
            ChainTask.delay(.seconds(1)).continueWithTask { _ in ChainTask.delay(.seconds(1)) }.continueWith { _ in log.add("\(timers.now)")
            }
            timers.advance(by: .seconds(5))
        }
        #expect(log.lines == ["2.0 seconds"])
    }

    @Test(arguments: [Duration.zero, .seconds(-3)])
    func aDelayNeverEndsBeforeTheCallReturns(_ duration: Duration) {
        let timers = VirtualTimers()
        Timers.$current.withValue(timers) {
            let task = ChainTask.delay(duration)
            #expect(!task.isCompleted)
            timers.advance(by: .zero)
            #expect(task.result != nil)
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .seconds(-3)])
    func theSystemsTimersEndADelay(_ duration: Duration) async throws {
        try await ChainTask.delay(duration).value
    }
}

@Suite(.explored) struct AsyncTests {
    @Test func anAsynchronousBodyDecidesTheOutcome() async throws {
        #expect(try await ChainTask(operation: { 4 }).value == 4)
        await #expect(throws: Boom()) { try await ChainTask<Int>(operation: { throw Boom() }).value }
        let cancelled = ChainTask<Int>(operation: { throw CancellationError() })
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(cancelled.isCancelled)
    }

    @Test func aValueCanBeAwaited() async throws {
        let source = TaskCompletionSource<Int>()
        let task = ChainTask(operation: { try await source.task.value + 1 })
        #expect(!task.isCompleted)
        source.set(1)
        #expect(try await task.value == 2)
    }

    @Test func manyTasksMayAwaitOneTask() async throws {
        let source = TaskCompletionSource<Int>()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await source.task.value } }
            source.set(2)
            return try await group.reduce(0, +)
        }
        #expect(sum == 200)
    }

    @Test func aFaultWithCancellationErrorIsThrownAsSuch() async {
        let task = ChainTask<Int>(error: CancellationError())
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(task.isFaulted)
    }
}
