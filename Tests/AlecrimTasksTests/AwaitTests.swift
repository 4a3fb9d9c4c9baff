import AlecrimTasks
import Foundation
import Testing

/// What a wait for a task returns, and where waiting is refused.
struct AwaitTests {
    @Test("Continuation throws: the error is the task's, and await throws it", arguments: [true, false])
    func aTaskHandsOnWhatItsBodyReturnsOrThrows(succeeds: Bool) {
        let task: Task<Int> = async {
            guard succeeds else { throw Boom() }
            return 4
        }
        #expect(outcome(of: task) == (succeeds ? "value 4" : "error boom"))
        #expect(task.finished)
        #expect(task.value == (succeeds ? 4 : nil))
        #expect((task.error as? Boom) == (succeeds ? nil : Boom()))
    }

    @Test func awaitReturnsANonFailableTasksValue() {
        let task: NonFailableTask<Int> = async { 4 }
        #expect(`await`(task) == 4)
        #expect(`await` { task } == 4)
        #expect(task.value == 4 && task.error == nil)
    }

    @Test func theClosureFormWaitsForTheTaskThatTheClosureReturns() throws {
        func asyncFour() -> Task<Int> { async { 4 } }
        #expect(try `await` { asyncFour() } == 4)
    }

    @Test("Order of several continuations: all waiting threads are released at once, and the body runs once")
    func aBodyRunsOnceHoweverManyWaitForIt() {
        let (runs, barrier) = (Counter(), Barrier())
        let task: NonFailableTask<Int> = async {
            barrier.pass()
            return runs.add(1)
        }
        let waiters: [NonFailableTask<Int>] = (0..<8).map { _ in async { `await`(task) } }
        barrier.open()
        #expect(waiters.map { `await`($0) } == Array(repeating: 1, count: 8))
        #expect(runs.value == 1)
    }

    @Test("Continuation added after completion: await returns at once")
    func waitingForAnEndedTaskReturnsAtOnce() throws {
        let task: Task<Int> = asyncEx { $0.finishWithValue(4) }
        #expect(try `await`(task) == 4)
        #expect(try `await`(task) == 4)
    }

    /// Each task waits on its thread for the next one, which takes more threads than a dispatch queue gets at once.
    @Test func tasksMayWaitForOneAnotherOnTheSharedQueue() {
        @Sendable func depth(_ level: Int) -> NonFailableTask<Int> {
            async { level == 0 ? 0 : `await`(depth(level - 1)) + 1 }
        }
        #expect(`await`(depth(20)) == 20)
    }

    @Test("Continuation returns a task: continueWithTask differs, it blocks and copies")
    func continueWithTaskBlocksAndCopies() {
        let barrier = Barrier()
        let other: Task<Int> = async {
            barrier.pass()
            return 4
        }
        let order = Log()
        let task: Task<Int> = asyncEx { task in
            order.add("begins")
            task.continueWithTask(other)
            order.add(task.finished ? "copied" : "pending")
        }
        #expect(!task.finished)
        barrier.open()
        #expect(outcome(of: task) == "value 4")

        let failing: Task<Int> = async { throw Boom() }
        let failed: Task<Int> = asyncEx { $0.continueWithTask(failing) }
        #expect(outcome(of: failed) == "error boom")

        let cancelledTask: Task<Int> = asyncEx { $0.finishWithError(NSError(domain: "mine", code: NSUserCancelledError)) }
        let follower: Task<Int> = asyncEx { $0.continueWithTask(cancelledTask) }
        #expect(outcome(of: follower) == "error mine 3072 cancelled")

        let nonFailable: NonFailableTask<Int> = asyncEx { task in task.continueWithTask(async { 5 }) }
        #expect(`await`(nonFailable) == 5)
    }

    #if DEBUG
        /// The original asserts this only in debug builds. A key on the main queue identifies main, because on Linux the thread does not.
        @Test("Wait, and wait on main: the program ends with the original's message")
        func waitingOnMainEndsTheProgramAlsoForAnEndedTask() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { await waitOnMain() }
            #expect(lastWords(result).contains("Cannot wait task on main thread."))
        }

        @Test func waitingOnASerialQueueIsRefused() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                let _: Task<Void> = async(queue) {}
            }
            #expect(lastWords(result).contains("Task `queue` cannot be the main queue nor a serial queue."))
        }

        @Test func waitingOnTheMainQueueIsRefused() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let _: NonFailableTask<Void> = async(OperationQueue.main) {}
            }
            #expect(lastWords(result).contains("Task `queue` cannot be the main queue nor a serial queue."))
        }
    #endif

    @Test(arguments: [2, OperationQueue.defaultMaxConcurrentOperationCount])
    func aTaskRunsOnTheQueueThatItIsGiven(width: Int) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        queue.isSuspended = true
        let task: Task<Int> = async(queue) { 4 }
        #expect(queue.operationCount == 1 && !task.finished)
        queue.isSuspended = false
        #expect(outcome(of: task) == "value 4")
    }
}

@MainActor
private func waitOnMain() {
    let task: NonFailableTask<Void> = asyncEx { $0.finish() }
    while !task.finished {}
    `await`(task)
}
