import Foundation
import TaskEvents
import TaskRuntime

/// "Ad-Hoc": one asynchronous function, called several times from a synchronous context.
///
/// *Hazard: ordering.* With each call in a `Task` of its own, the order of starts and ends is undefined. For comparison, one chain in which
/// each call continues the one before.
struct RecipesOrdering: ChainScenario {
    let name = "recipes-ordering"
    let summary = "Async Contexts, hazard ordering: six Tasks, and six links of a chain; 2 Graph and 8 Output show which of them keep order"

    func start(on stage: Stage) -> [AnyChainTask] {
        [unordered(stage), inOrder(stage)]
    }

    private func unordered(_ stage: Stage) -> AnyChainTask {
        let journal = Journal(stage)
        // Hazard 1: ordering
        let tasks = (1...6).map { number in
            ChainTask(name: "Task \(number)") { await journal.work(number) }
        }
        return ChainTask.whenAll(tasks, name: "all Tasks")
            .continueOnSuccessWith(on: .main, name: "report") { stage.say("As Tasks: \(journal.order).") }
    }

    private func inOrder(_ stage: Stage) -> AnyChainTask {
        let journal = Journal(stage)
        var last = ChainTask<Void>((), name: "in order")
        for number in 1...6 {
            last = last.continueOnSuccessWithTask(name: "then \(number)") {
                ChainTask(name: "work \(number)") { await journal.work(number) }
            }
        }
        return last.continueOnSuccessWith(on: .main, name: "report in order") { stage.say("As a chain: \(journal.order).") }
    }
}

/// Records the order in which work ends.
private actor Journal {
    private let stage: Stage
    /// Behind a lock, because synchronous code reads it.
    private let done = Guarded<[Int]>([])

    init(_ stage: Stage) {
        self.stage = stage
    }

    nonisolated var order: String { done.withLock { $0.map(String.init).joined(separator: " ") } }

    /// The first call takes longest, like work with an empty cache.
    nonisolated func work(_ number: Int) async {
        await stage.pause(.milliseconds(700 / number))
        _ = stage.hash(10_000, in: .zero)
        await note(number)
    }

    private func note(_ number: Int) {
        done.withLock { $0.append(number) }
    }
}
