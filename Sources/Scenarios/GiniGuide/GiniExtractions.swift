import AWSTasks
import Foundation
import TaskRuntime

/// The guide's "Tasks are chainable": a continuation ends with the task that its block returns, a task can have several continuations, and
/// a block added to an ended task runs at once. Beside it, a missing document.
struct GiniExtractions: ChainScenario {
    let name = "gini-extractions"
    let summary =
        "Gini guide: a document, then its extractions; 2 Graph shows the task that a block returned, and two blocks behind one document"

    func start(on stage: Stage) -> [AnyChainTask] {
        let sdk = GiniAPI(stage)
        return extractions(of: "1234-5678-9100", sdk, stage) + [filename(of: "no-such-document", sdk, stage)]
    }

    private func extractions(of id: String, _ sdk: GiniAPI, _ stage: Stage) -> [AnyChainTask] {
        let document = sdk.getDocument(withId: id)
        let name = document.continueOnSuccessWith(block: { $0.result?.filename }, name: "filename")
        let shown = name.continueWith(
            executor: .mainThread(),
            block: { task in
                stage.say("File name: \(task.result as? String ?? "none")")
                return nil
            }, name: "show the file name")
        let extractions =
            document
            .continueOnSuccessWith(block: { task in task.result.map(sdk.getExtractions) }, name: "extractions")
            .continueWith(
                block: { task in
                    // The result is the dictionary, although the chain's first task returns the document.
                    let count = (task.result as? NSDictionary)?.count ?? 0
                    stage.say("\(count) extractions.")
                    // The document's task has ended, so this block runs at once, on this thread.
                    return document.continueWith(block: { $0.result?.id }, name: "added late")
                }, name: "show the extractions")
        return [shown.chain, extractions.chain]
    }

    /// The compact form, with one handler at the end of the chain.
    private func filename(of id: String, _ sdk: GiniAPI, _ stage: Stage) -> AnyChainTask {
        sdk.getDocument(withId: id)
            .continueOnSuccessWith(block: { $0.result?.filename }, name: "filename")
            .continueWith(
                block: { task in
                    if task.error != nil { stage.say("There is no document \(id).") }
                    return nil
                }, name: "handle the error"
            ).chain
    }
}
