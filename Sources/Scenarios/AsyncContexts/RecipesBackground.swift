import Dispatch
import Foundation
import TaskRuntime

/// "Background Work": a step before, expensive work in the background, and a step after on main; with dispatch queues, and in four ways
/// with Swift Concurrency, one after another. Links of a chain show their hops; steps inside an asynchronous body do not.
struct RecipesBackground: AsyncScenario {
    let name = "recipes-background"
    let summary = "Async Contexts, background work: by queues and by solutions 1 to 4; 2 Graph shows where each leaves main and comes back"

    func run(on stage: Stage) async {
        let demo = DemoController(stage: stage)
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
    let stage: Stage
    private let background = ChainExecutor.queue(DispatchQueue(label: "background", attributes: .concurrent))

    /// The pattern for all solutions: three steps in order, each on its thread, and the first without a delay.
    func queues() -> ChainTask<Void> {
        ChainTask(on: .main, name: "queues: beforeWorkBegins") { beforeWorkBegins("queues") }
            .continueOnSuccessWith(on: background, name: "queues: expensiveWork") { expensiveWork() }
            .continueOnSuccessWith(on: .main, name: "queues: afterWorkIsDone") { afterWorkIsDone($0) }
    }

    /// *Hazard: timing.* Code moved into the `Task` waits for its turn: `doWork` returns before it starts, and main's earlier jobs run
    /// first.
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

    /// Solution #2: the caller is already asynchronous. One body contains all steps, so no chain shows its hops.
    func solution2() -> ChainTask<Void> {
        ChainTask(name: "#2 doWork() async") {
            await MainActor.run { beforeWorkBegins("#2") }
            let result = await asyncExpensiveWork()
            await MainActor.run { afterWorkIsDone(result) }
        }
    }

    /// Solution #3: no wrapper exists, so a continuation and a queue make one. *Hazard: does the queue have the right quality of service?*
    func solution3() -> ChainTask<Void> {
        .flattening(on: .main, name: "#3 doWork") {
            beforeWorkBegins("#3")
            return ChainTask(name: "#3 expensiveWork() async") {
                // Awaiting a chain's task does what withCheckedContinuation does by hand.
                try await ChainTask(on: background, name: "#3 expensiveWork") { expensiveWork() }.value
            }
            .continueOnSuccessWith(on: .main, name: "#3 afterWorkIsDone") { afterWorkIsDone($0) }
        }
    }

    /// Solution #4: no wrapper. *Hazard: blocking*: the work occupies a thread of the pool.
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

    /// The same work for a caller that must not block.
    private func asyncExpensiveWork() async -> UInt64 {
        await stage.pause(.milliseconds(400))
        return stage.hash(100_000, in: .zero)
    }
}
