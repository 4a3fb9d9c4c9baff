import Foundation
import TaskRuntime

/// "Order-Dependent Work": an `AsyncStream` as a queue, with each of its hazards; for comparison, a chain as a queue.
///
/// The stream keeps order. *Hazard: fixed priority*: all items run at the consumer's priority. *Hazard: per-item cancellation is
/// unsupported*: cancelling an item's producer does not reach the item. *Hazard: thrown errors are invisible*: `try?` drops them. In a
/// chain every item is a task with a token and an error of its own.
struct RecipesStream: AsyncScenario {
    let name = "recipes-stream"
    let summary =
        "Async Contexts, AsyncStream as a queue: five items in order; 5 Faults shows the error that try? swallows, and the chain's, handled"

    typealias WorkItem = @Sendable () async throws -> Void

    private struct Broken: Error {}

    /// The numbers of the failing and of the cancelled item, of five.
    private static let failing = 2
    private static let cancelled = 4

    func run(on stage: Stage) async {
        await asStream(stage)
        await forAll(stage)
        await asChain(stage)
    }

    private func asStream(_ stage: Stage) async {
        let (stream, continuation) = AsyncStream<WorkItem>.makeStream()
        // Hazard 1: this Task will run at a fixed priority
        let consumer = ChainTask(name: "consumer") {
            var number = 0
            // The sequence guarantees order.
            for await workItem in stream {
                number += 1
                // In the trace, `try?` is a continuation that ignores the error.
                let item = ChainTask(name: "item \(number)", operation: workItem)
                try? await item.continueWith(name: "try? item \(number)") { _ in }.value
            }
        }
        for number in 1...5 {
            // Hazard 2: per-work item cancellation is unsupported
            let producer = Task(priority: .high) {
                _ = continuation.yield {
                    stage.say("Item \(number) runs at \(Task.currentPriority), cancelled: \(Task.isCancelled).")
                    // Hazard 3: thrown errors are invisible
                    try await work(number, stage)
                }
            }
            if number == Self.cancelled { producer.cancel() }
            await producer.value
        }
        continuation.finish()
        try? await consumer.value
    }

    /// The first hazard alone: tasks of two priorities yield items to a consumer of a third priority.
    private func forAll(_ stage: Stage) async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let consumer = Task(priority: .utility) {
            for await number in stream { _ = stage.hash(1_000 * number, in: .zero) }
        }
        for number in 1...12 {
            await stage.pause(.milliseconds(20))
            await Task(priority: number.isMultiple(of: 2) ? .high : .medium) { _ = continuation.yield(number) }.value
        }
        continuation.finish()
        await consumer.value
    }

    private func asChain(_ stage: Stage) async {
        let tokens = (1...5).map { _ in CancellationTokenSource() }
        // Starts the chain when it is complete.
        let beginning = TaskCompletionSource<Void>(name: "beginning")
        var last: ChainTask<Void> = beginning.task
        for (index, token) in tokens.enumerated() {
            let number = index + 1
            // The token belongs to the item: a cancelled link would let the next one start early.
            last = last.continueWithTask(name: "link \(number)") { _ in
                ChainTask(name: "chained item \(number)", cancellation: token.token) { try await work(number, stage) }
            }
            .continueOnErrorWith(name: "handle \(number)") { error in stage.say("Item \(number): \(error).") }
        }
        tokens[Self.cancelled - 1].cancel()
        beginning.set(())
        try? await last.value
    }

    private func work(_ number: Int, _ stage: Stage) async throws {
        await stage.pause(.milliseconds(300))
        if number == Self.failing { throw Broken() }
        _ = stage.hash(10_000, in: .zero)
    }
}
