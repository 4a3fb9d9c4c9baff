import AWSTasks
import Dispatch
import Foundation
import TaskRuntime

/// The guide's "Tasks and Threads / Queues": one document's name is shown three ways, by an executor made of a block, by the one that there
/// is for the main thread, and, what the guide warns of, on the thread that the task happened to end on.
struct GiniMainThread: ChainScenario {
    let name = "gini-main-thread"
    let summary =
        "Gini guide: a name shown by an executor of one's own, by mainThread, and in the background; see in Graph who hops onto main"

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
        let place = ChainExecutor.isOnMain ? "On main" : "In the background"
        stage.say("\(place): \(task.error.map { "\($0)" } ?? task.result?.filename ?? "no name")")
        return nil
    }
}
