import Foundation
import TaskRuntime

/// "Ad-Hoc": an asynchronous function that throws, called from a synchronous context.
///
/// *Hazard: thrown errors are invisible*. In solution #1 no code reads the `Task`'s error. Solution #2 types it `Task<Void, Never>`, so
/// that its body must catch. In a chain, a continuation receives the error.
struct RecipesInvisibleError: ChainScenario {
    let name = "recipes-invisible-error"
    let summary = "Async Contexts, hazard invisible errors: one error three ways; 5 Faults shows which is unobserved and which are handled"

    private struct NoSuchFile: Error {}

    func start(on stage: Stage) -> [AnyChainTask] {
        let first = ChainTask(name: "#1 Task") {
            // Hazard 2: thrown errors are invisible
            try await work(stage)
        }
        let second = ChainTask(name: "#2 Task<Void, Never>") {
            do {
                try await ChainTask(name: "work") { try await work(stage) }.value
            } catch {
                stage.say("#2 caught \(error).")
            }
        }
        let third = ChainTask(name: "in a chain") { try await work(stage) }
            .continueOnErrorWith(on: .main, name: "handle") { error in stage.say("The chain handled \(error).") }
        return [first, second, third]
    }

    private func work(_ stage: Stage) async throws {
        await stage.pause(.milliseconds(800))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        guard FileManager.default.fileExists(atPath: file.path) else { throw NoSuchFile() }
    }
}
