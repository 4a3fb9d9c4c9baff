import Dispatch
import Foundation
import TaskRuntime

/// "Background Work": something before, something expensive in the background, something after on main; by dispatch queues, and in the four
/// ways of Swift Concurrency, one after another. What hops is a link of a chain; the rest happens inside asynchronous bodies.
struct RecipesBackground: AsyncScenario {
    let name = "recipes-background"
    let summary = "Async Contexts, background work: by queues and by solutions 1 to 4; see in Graph where each leaves main and comes back"

    func run(on stage: Stage) async {
        let demo = DemoController(stage)
        for work in [demo.queues, demo.movedInside, demo.solution1, demo.solution2, demo.solution3, demo.solution4] {
            do {
                try await work().value
            } catch {
                stage.say("\(error)")
            }
        }
    }
}

/// The document's `DemoViewController`.
private struct DemoController: Sendable {
    private let stage: Stage
    private let background = ChainExecutor.queue(DispatchQueue(label: "background", attributes: .concurrent))

    init(_ stage: Stage) {
        self.stage = stage
    }

    /// The pattern that the solutions are to keep: in order, each on its thread, and nothing to wait for before the first.
    func queues() -> ChainTask<Void> {
        ChainTask(on: .main, name: "queues: beforeWorkBegins") { beforeWorkBegins("queues") }
            .continueOnSuccessWith(on: background, name: "queues: expensiveWork") { expensiveWork() }
            .continueOnSuccessWith(on: .main, name: "queues: afterWorkIsDone") { afterWorkIsDone($0) }
    }

    /// *Hazard: timing.* What is moved inside the `Task` has to wait for its turn: `doWork` returns before it has begun, and whatever main has
    /// to do already comes first.
    func movedInside() -> ChainTask<Void> {
        .flattening(on: .main, name: "timing: doWork") {
            DispatchQueue.main.async { stage.dawdle(.milliseconds(70)) }
            let before = Task { @MainActor in beforeWorkBegins("timing") }
            let task = ChainTask(name: "timing: Task") {
                await before.value
                let result = await asyncExpensiveWork()
                await MainActor.run { afterWorkIsDone(result) }
            }
            stage.dawdle(.milliseconds(70))
            stage.say("timing: doWork returns.")
            return task
        }
    }

    /// Solution #1: an asynchronous wrapper exists, and `beforeWorkBegins` runs at once in the caller's synchronous context.
    func solution1() -> ChainTask<Void> {
        .flattening(on: .main, name: "#1 doWork") {
            beforeWorkBegins("#1")
            return ChainTask(name: "#1 asyncExpensiveWork") { await asyncExpensiveWork() }
                .continueOnSuccessWith(on: .main, name: "#1 afterWorkIsDone") { afterWorkIsDone($0) }
        }
    }

    /// Solution #2: the caller is asynchronous already. One body does all of it, and to see it hop takes more than a chain.
    func solution2() -> ChainTask<Void> {
        ChainTask(name: "#2 doWork() async") {
            await MainActor.run { beforeWorkBegins("#2") }
            let result = await asyncExpensiveWork()
            await MainActor.run { afterWorkIsDone(result) }
        }
    }

    /// Solution #3: no wrapper exists; one's own is made of a continuation and a queue. *Hazard: is it a queue of the right quality?*
    func solution3() -> ChainTask<Void> {
        .flattening(on: .main, name: "#3 doWork") {
            beforeWorkBegins("#3")
            return ChainTask(name: "#3 expensiveWork() async") {
                // To await a chain's task is to be resumed by it, as withCheckedContinuation does by hand.
                try await ChainTask(on: background, name: "#3 expensiveWork") { expensiveWork() }.value
            }
            .continueOnSuccessWith(on: .main, name: "#3 afterWorkIsDone") { afterWorkIsDone($0) }
        }
    }

    /// Solution #4: no wrapper, and none is wanted. *Hazard: blocking*: for as long as the work takes, the pool has a thread less.
    func solution4() -> ChainTask<Void> {
        .flattening(on: .main, name: "#4 doWork") {
            beforeWorkBegins("#4")
            return ChainTask(name: "#4 Task.detached") {
                let possibleResult = expensiveWork()
                await MainActor.run { afterWorkIsDone(possibleResult) }
            }
        }
    }

    private func beforeWorkBegins(_ which: String) {
        stage.say("\(which): before")
    }

    private func afterWorkIsDone(_ result: UInt64) {
        stage.say("after: \(result % 1_000)")
    }

    private func expensiveWork() -> UInt64 {
        stage.hash(100_000, in: .milliseconds(400))
    }

    /// The same work for who may not block.
    private func asyncExpensiveWork() async -> UInt64 {
        await stage.pause(.milliseconds(400))
        return stage.hash(100_000, in: .zero)
    }
}
