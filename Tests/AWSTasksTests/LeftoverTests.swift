import AWSTasks
import Dispatch
import Foundation
import Testing
import TraceTestKit

/// Ended tasks leave no memory behind; measured in a process that does nothing else.
@Suite(.serialized)
struct LeftoverTests {
    @Test func endedTasksLeaveNothingBehind() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await Leftovers.report(LeftoverTests.finished + LeftoverTests.continuations + LeftoverTests.cancelled)
        }
        #expect(errorText(result) == "")
    }

    private static let finished: [Leftovers.Kind] = [
        ("result", { made(Task(result: nil)) }),
        ("error", { made(Task(error: failure)) }),
        ("cancelled", { made(Task.cancelled()) }),
        ("delay", { made(Task(delay: 0)) }),
        ("delay with a token", { made(Task(delay: 0, cancellationToken: AWSCancellationTokenSource().token)) }),
        ("source that nobody sets", { made(Source().task) }),
        ("all", { after { Task(forCompletionOfAllTasks: [$0, Task(error: failure)]) } }),
        ("all with results", { after { AWSTask<NSArray>(forCompletionOfAllTasksWithResults: [$0, $0]) } }),
        ("any", { after { Task(forCompletionOfAnyTask: [$0, Source().task]) } }),
        ("completion handler", { made(Task(completionHandler: { $0(nil, failure) })) }),
        (
            "handed over",
            {
                after { task in
                    task.handOver { _, _ in }
                    return task
                }
            }
        ),
    ]

    private static let executors: [(String, AWSExecutor)] = [
        ("default", .default()), ("immediate", .immediate()), ("queue", AWSExecutor(dispatchQueue: DispatchQueue(label: "leftovers"))),
        ("operation queue", AWSExecutor(operationQueue: OperationQueue())), ("block", AWSExecutor(block: { $0() })),
    ]

    private static let continuations: [Leftovers.Kind] = executors.flatMap { name, executor -> [Leftovers.Kind] in
        [
            ("task from \(name)", { made(Task(from: executor, with: { 1 })) }),
            ("continuation on \(name)", { after { $0.continueWith(executor: executor) { _ in nil } } }),
            ("flattening on \(name)", { after { $0.continueWith(executor: executor) { _ in Task(delay: 0) } } }),
            ("success on \(name)", { after { $0.continueOnSuccessWith(executor: executor) { _ in Task(result: nil) } } }),
            ("skipped on \(name)", { made(Task(error: failure).continueOnSuccessWith(executor: executor) { _ in nil }) + 1 }),
            ("one that never runs on \(name)", { made(Source().task.continueWith(executor: executor) { _ in nil }) }),
        ]
    }

    private static let cancelled: [Leftovers.Kind] = [
        (
            "cancelled by its token",
            {
                let cancellation = AWSCancellationTokenSource()
                return after { task in
                    defer { cancellation.cancel() }
                    return task.continueWith(block: { _ in nil }, cancellationToken: cancellation.token)
                }
            }
        ),
        (
            "disposed",
            {
                let cancellation = AWSCancellationTokenSource()
                let registration = cancellation.token.registerCancellationObserver {}
                registration.dispose()
                cancellation.dispose()
                return made(Task(result: nil))
            }
        ),
        (
            "cancelled later",
            {
                let cancellation = AWSCancellationTokenSource()
                cancellation.cancel(afterDelay: 0)
                return made(Task(delay: 0, cancellationToken: cancellation.token))
            }
        ),
    ]

    /// Releases the task.
    private static func made<Result>(_ task: AWSTask<Result>) -> Int { 1 }

    /// Makes continuations of a source's task, then sets the source.
    private static func after<Result>(_ make: (Task) -> AWSTask<Result>) -> Int {
        let source = Source()
        let task = make(source.task)
        source.set(result: nil)
        return 1 + made(task)
    }
}
