import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

@Suite(.serialized, .explored)
struct RetryTests {
    /// Retries work that fails `failures` times; returns the time of each attempt and the final outcome.
    private static func play(times: Int, failures: Int, backoff: RetryBackoff) -> [String] {
        let timers = VirtualTimers(), log = Log()
        return Timers.$current.withValue(timers) {
            let task = ChainTask<Int>.retry(times: times, backoff: backoff, on: .immediate) { attempt in
                log.add("\(attempt) at \(timers.now.components.seconds)")
                if attempt <= failures { throw Boom("\(attempt)") }
                return attempt
            }
            timers.advance(by: .seconds(1000))
            return log.lines + [task.summary]
        }
    }

    @Test func aRetryStopsAtTheFirstSuccess() {
        #expect(Self.play(times: 3, failures: 0, backoff: .none) == ["1 at 0", "success 1"])
        #expect(Self.play(times: 3, failures: 1, backoff: .none) == ["1 at 0", "2 at 0", "success 2"])
        #expect(Self.play(times: 3, failures: 2, backoff: .constant(.seconds(5))) == ["1 at 0", "2 at 5", "3 at 10", "success 3"])
    }

    @Test func aRetryFailsWithTheLastError() {
        #expect(Self.play(times: 1, failures: 9, backoff: .constant(.seconds(5))) == ["1 at 0", "faulted 1"])
        let backoff = RetryBackoff.exponential(from: .seconds(1), upTo: .seconds(5))
        #expect(
            Self.play(times: 6, failures: 9, backoff: backoff) == [
                "1 at 0", "2 at 1", "3 at 3", "4 at 7", "5 at 12", "6 at 17", "faulted 6",
            ])
    }

    @Test func aReturnedTaskIsFollowed() {
        let source = TaskCompletionSource<Int>()
        let task = ChainTask<Int>.retryTask(times: 2, on: .immediate) { attempt in
            if attempt == 1 { return ChainTask(error: Boom()) }
            return source.task
        }
        #expect(task.summary == "pending")
        source.set(6)
        #expect(task.summary == "success 6")
    }

    @Test func aCancelledAttemptEndsTheRetries() {
        let task = ChainTask<Int>.retry(times: 5, on: .immediate) { attempt in
            if attempt == 2 { throw CancellationError() }
            throw Boom()
        }
        #expect(task.summary == "cancelled")
    }

    @Test func aTokenEndsAPause() {
        let timers = VirtualTimers(), cancellation = CancellationTokenSource()
        Timers.$current.withValue(timers) {
            let task = ChainTask<Int>.retry(
                times: 5, backoff: .constant(.seconds(9)), on: .immediate, cancellation: cancellation.token
            ) { _ in throw Boom() }
            timers.advance(by: .seconds(1))
            #expect(task.summary == "pending" && timers.count == 1)
            cancellation.cancel()
            #expect(task.summary == "cancelled" && timers.count == 0)
        }
    }

    @Test func attemptsAreTasksOfTheGraph() async throws {
        let recording = try await EventRecording.of { _ in
            let timers = VirtualTimers()
            Timers.$current.withValue(timers) {
                _ = ChainTask<Int>.retry(times: 3, backoff: .constant(.seconds(1)), on: .immediate, name: "fetch") { attempt in
                    if attempt == 1 { throw Boom() }
                    return attempt
                }
                timers.advance(by: .seconds(1))
            }
        }
        #expect(
            recording.lines(of: "fetch 1").suffix(2) == ["faulted fetch 1 thrown boom from -", "errorRead fetch 1 by fetch after 1"])
        #expect(
            recording.lines(of: "fetch after 1") == [
                "created fetch after 1 continuation on immediate after fetch 1", "started fetch after 1 on immediate inline",
                "antecedent fetch after 1 inner fetch 2", "suspended fetch after 1 innerTask fetch 2", "resumed fetch after 1",
                "completed fetch after 1",
            ])
        // No further attempt is made.
        #expect(recording.lines(of: "fetch after 2").isEmpty)
        #expect(recording.lines(of: "fetch 2").first == "created fetch 2 continuation on immediate after back-off")
    }

    @Test func theRetryEndsAsItsLastAttempt() async throws {
        let recording = try await EventRecording.of { _ in
            let source = TaskCompletionSource<Int>(name: "source")
            _ = ChainTask<Int>.retryTask(times: 2, on: .immediate, name: "fetch") { attempt in
                if attempt == 1 { throw Boom() }
                return source.task
            }
            source.set(1)
        }
        // The value that the first attempt follows has the retry's name, and never runs.
        #expect(
            recording.lines(of: "fetch").filter { !$0.hasPrefix("created") && !$0.hasPrefix("completed") } == [
                "started fetch on immediate inline", "suspended fetch innerTask fetch after 1", "resumed fetch",
                "antecedent fetch inner fetch after 1",
            ])
    }

    @Test func theNumberOfAttemptsNeedsNoBound() {
        let task = ChainTask<Int>.retry(times: .max, on: .immediate) { attempt in
            if attempt < 20_000 { throw Boom() }
            return attempt
        }
        #expect(task.summary == "success 20000")
    }

    @Test func onlyTheCurrentAttemptIsKept() {
        let timers = VirtualTimers()
        Timers.$current.withValue(timers) {
            let before = AnyChainTask.liveCount
            let cancellation = CancellationTokenSource()
            let task = ChainTask<Int>.retry(
                times: .max, backoff: .constant(.seconds(1)), on: .immediate, cancellation: cancellation.token
            ) { _ in throw Boom() }
            var live: Set<Int> = []
            for _ in 0..<100 {
                timers.advance(by: .seconds(1))
                live.insert(AnyChainTask.liveCount - before)
            }
            // The result, the pause, the attempt that waits for it, and the continuation that was handed the error.
            #expect(live == [4])
            cancellation.cancel()
            #expect(task.summary == "cancelled" && timers.count == 0)
        }
    }
}
