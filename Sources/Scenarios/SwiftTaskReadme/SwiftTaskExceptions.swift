import AWSTasks
import Foundation
import SwiftTasks
import TaskRuntime

/// The README's "Didn't swift kill exceptions?": a task ends with an exception if its block throws, or if a call inside `MissingSwift.try`
/// throws. Either way the next success block is skipped, and a dependent task handles the exception.
struct SwiftTaskExceptions: ChainScenario {
    let name = "swifttask-exception"
    let summary =
        "SwiftTask: a block that throws, and a fetch that raises; 5 Faults shows both exceptions pass a skipped block and be handled"

    private struct NoSuchTitle: Error, CustomStringConvertible {
        let description: String
    }

    func start(on stage: Stage) -> [AnyChainTask] {
        let thrown = FetchedFile(stage).performFetchWithTask().completionTaskWith(
            { task in
                let titles = task.result as? [String] ?? []
                guard titles.contains("Exceptions") else { throw NoSuchTitle(description: "none of \(titles.count) titles is it") }
                return titles
            }, name: "find the title")
        let raised = FetchedFile(stage, .spoilt).performFetchWithTask(name: "performFetch of a spoilt file")
        return [thrown, raised].map { task in
            task
                .completionTaskWith({ $0.result }, name: "show the title")
                .dependentTaskOnMainQueueWith(
                    { task in
                        if let exception = task.exception { stage.say("Exception: \(exception)") }
                        return nil
                    }, name: "handle"
                ).bftask().chain
        }
    }
}
