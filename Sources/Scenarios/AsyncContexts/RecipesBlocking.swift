import Foundation
import TaskEvents
import TaskRuntime

/// Solution #4 of background work, in too many tasks at once. *Hazard: blocking.*
///
/// Swift's pool has one thread for each processor. If all of them block, no asynchronous code runs, as a heartbeat shows. The same happens
/// in a pool of the runtime whose bodies wait for tasks. For comparison, continuations that block no thread.
struct RecipesBlocking: AsyncScenario {
    let name = "recipes-blocking"
    let summary = "Async Contexts, hazard blocking: bodies that block their threads; 3 Executors shows narrow's queue stand still"

    func run(on stage: Stage) async {
        await detached(stage)
        await waiting(stage)
        await continuing(stage)
    }

    /// Enqueues more blocking bodies than the pool has threads, and then a heartbeat.
    private func detached(_ stage: Stage) async {
        let blocking = (1...2 * ProcessInfo.processInfo.activeProcessorCount).map { number in
            ChainTask(name: "Task.detached \(number)", operation: { stage.hash(100_000, in: .milliseconds(400)) })
        }
        let waited = stage.time.elapsed()
        let heartbeat = ChainTask(name: "heartbeat", operation: { waited() })
        if let wait = try? await heartbeat.value { stage.say("The heartbeat waited \(wait / 1_000_000) ms.") }
        for await _ in ChainTask.outcomes(of: blocking) {}
    }

    /// Both threads of a pool block for a late answer.
    private func waiting(_ stage: Stage) async {
        let narrow = ChainExecutor.pool(name: "narrow", width: 2)
        let answer = TaskCompletionSource<Int>(name: "late answer")
        let waiters = (1...2).map { number in
            ChainTask(on: narrow, name: "wait \(number)") { answer.task.wait() }
        }
        let behind = (1...6).map { number in
            ChainTask(on: narrow, name: "behind \(number)") { _ = stage.hash(10_000, in: .zero) }
        }
        await stage.pause(.milliseconds(1_200))
        answer.set(42)
        for await _ in ChainTask.outcomes(of: waiters + behind) {}
    }

    /// For comparison: continuations that wait for the answer without blocking a thread.
    private func continuing(_ stage: Stage) async {
        let roomy = ChainExecutor.pool(name: "roomy", width: 2)
        let answer = TaskCompletionSource<Int>(name: "late answer for roomy")
        let continuations = (1...2).map { number in
            answer.task.continueOnSuccessWith(on: roomy, name: "continue \(number)") { _ = stage.hash($0, in: .zero) }
        }
        let beside = (1...6).map { number in
            ChainTask(on: roomy, name: "beside \(number)") { _ = stage.hash(10_000, in: .zero) }
        }
        await stage.pause(.milliseconds(600))
        answer.set(42)
        for await _ in ChainTask.outcomes(of: continuations + beside) {}
    }
}
