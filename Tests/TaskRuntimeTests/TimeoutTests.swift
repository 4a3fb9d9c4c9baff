import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

@Suite(.serialized, .explored)
struct TimeoutTests {
    /// The original's outcome after one second, with a timeout of two, and the outcome of the task with the timeout.
    @Test(arguments: [("1", "success 1"), ("x", "faulted x"), ("-", "cancelled")])
    func aTaskThatEndsInTimeKeepsItsOutcome(end: String, outcome: String) {
        let timers = VirtualTimers(), source = TaskCompletionSource<Int>()
        Timers.$current.withValue(timers) {
            let task = source.task.timeout(after: .seconds(2))
            timers.advance(by: .seconds(1))
            #expect(task.summary == "pending" && timers.count == 1)
            JoinTests.end(source, as: end)
            #expect(task.summary == outcome)
            #expect(timers.count == 0)
        }
    }

    @Test func aTimeoutFaultsTheTask() {
        let timers = VirtualTimers(), source = TaskCompletionSource<Int>()
        Timers.$current.withValue(timers) {
            let task = source.task.timeout(after: .seconds(2))
            timers.advance(by: .milliseconds(1999))
            #expect(task.summary == "pending")
            timers.advance(by: .milliseconds(1))
            #expect(task.summary == "faulted not ended after 2.0 seconds")
            #expect(!source.task.isCompleted)
            source.set(1)
            #expect(task.isFaulted && source.task.result == 1)
        }
    }

    @Test func anEndedTaskNeedsNoTimer() {
        let timers = VirtualTimers()
        Timers.$current.withValue(timers) {
            #expect(ChainTask(5).timeout(after: .zero).result == 5)
            #expect(timers.count == 0)
        }
    }

    @Test func aTokenCancelsTheTimeoutAtOnceAndNotTheOriginal() {
        let timers = VirtualTimers(), source = TaskCompletionSource<Int>(), cancellation = CancellationTokenSource()
        Timers.$current.withValue(timers) {
            let task = source.task.timeout(after: .seconds(2), cancellation: cancellation.token)
            cancellation.cancel()
            #expect(task.isCancelled && timers.count == 0 && !source.task.isCompleted)
            source.set(1)
        }
    }

    @Test func aTimeoutIsAJoinWithATaskThatThrows() async throws {
        let recording = try await EventRecording.of { _ in
            let timers = VirtualTimers()
            Timers.$current.withValue(timers) {
                let source = TaskCompletionSource<Int>(name: "slow")
                let task = source.task.timeout(after: .seconds(1), name: "impatient")
                timers.advance(by: .seconds(1))
                source.set(error: Boom("too late"))
                #expect(task.isFaulted)
            }
        }
        #expect(
            recording.lines(of: "impatient").prefix(2) == [
                "created impatient join on - after slow", "faulted impatient thrown not ended after 1.0 seconds from -",
            ])
        #expect(recording.lines(.errorRead).isEmpty)
    }
}
