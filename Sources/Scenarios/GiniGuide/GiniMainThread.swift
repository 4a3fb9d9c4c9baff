import AWSTasks
import Dispatch
import Foundation
import TaskRuntime

/// The guide's "Tasks and Threads / Queues": shows one document's name three ways: with an executor made of a block, with the main thread's
/// executor, and, as the guide warns, on the thread on which the task happened to end.
struct GiniMainThread: ChainScenario {
    let name = "gini-main-thread"
    let summary =
        "Gini guide: a name shown by a custom executor, by mainThread, and in the background; 2 Graph shows which tasks hop onto main"

    func start(on stage: Stage) -> [AnyChainTask] {
        let myExecutor = BFExecutor(block: { block in DispatchQueue.main.async(execute: block) }, name: "myExecutor")
        let document = GiniAPI(stage).getDocument(withId: "1234-5678-9100")
        let shows = [
            document.continueWith(executor: myExecutor, block: { show($0, stage) }, name: "show by myExecutor"),
            document.continueWith(executor: .mainThread(), block: { show($0, stage) }, name: "show by mainThread"),
            document.continueWith(block: { show($0, stage) }, name: "show wherever it is"),
        ]
        return shows.map(\.chain)
    }

    private func show(_ task: BFTask<GiniDocument>, _ stage: Stage) -> AnyObject? {
        let thread = ChainExecutor.isOnMain ? "On main" : "In the background"
        stage.say("\(thread): \(task.error.map { "\($0)" } ?? task.result?.filename ?? "no name")")
        return nil
    }
}
