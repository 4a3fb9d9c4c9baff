import AlecrimTasks
import Foundation
import Testing
import TraceTestKit

/// `runTask` continues a task without waiting for it.
@Suite(.explored) struct RunTaskTests {
    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "completions"
        return queue
    }()

    @Test(arguments: ["value", "error", "cancelled"])
    func theHandlerRunsOnItsQueueWithTheValueOrTheError(how: String) async {
        let log = Log()
        let task: Task<Int> =
            switch how {
            case "value": async { 4 }
            case "error": async { throw Boom() }
            default: asyncEx { $0.cancel() }
            }
        runTask(task, completionQueue: queue) { value, error in
            let name = OperationQueue.current?.name ?? "?"
            log.add("\(value.map { "\($0)" } ?? "nil") \((error as NSError?)?.code.description ?? "nil") on \(name)")
        }
        #expect(await eventually { log.lines.count == 1 })
        let code = (Boom() as NSError).code
        #expect(log.lines == ["\(["value": "4 nil", "error": "nil \(code)"][how] ?? "nil 3072") on completions"])
    }

    @Test func theHandlerOfANonFailableTaskHasNoError() async {
        let log = Log()
        runTask(async { 4 } as NonFailableTask<Int>, completionQueue: queue) { log.add("\($0)") }
        #expect(await eventually { log.lines == ["4"] })
    }

    /// The handler goes through the queue also when the task has ended and the caller is on main.
    @Test @MainActor func theHandlerRunsOnMainByDefaultAndNeverInline() async {
        let log = Log()
        let task: Task<Int> = asyncEx { $0.finishWithValue(4) }
        while !task.finished { await _Concurrency.Task.yield() }
        runTask(task) { value, _ in
            dispatchPrecondition(condition: .onQueue(.main))
            log.add("handler \(value ?? 0)")
        }
        log.add("after the call")
        while log.lines.count < 2 { await _Concurrency.Task.yield() }
        #expect(log.lines == ["after the call", "handler 4"])
    }

    @Test func aHandlerIsOptional() {
        let task: Task<Int> = async { 4 }
        runTask(task)
        #expect(outcome(of: task) == "value 4")
        let nonFailable: NonFailableTask<Int> = async { 4 }
        runTask(nonFailable)
        #expect(value(of: nonFailable) == 4)
    }
}
