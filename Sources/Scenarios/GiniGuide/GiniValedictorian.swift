import Foundation
import TaskRuntime

/// The guide's error handling example: a continuation fails, the next is skipped, the handler recovers, and the last one runs.
struct GiniValedictorian: ChainScenario {
    let name = "gini-valedictorian"
    let summary = "Gini guide: a forced failure; 5 Faults shows what it skips and which handler recovers, 2 Graph what runs after that"

    func start(on stage: Stage) -> [AnyChainTask] {
        let store = StudentStore(stage)
        let end = store.find(name: "findAsync")
            .continueOnSuccessWithTask(name: "setValedictorian") { students -> ChainTask<[Student]> in
                var valedictorian = students[0]
                valedictorian.honour = "valedictorian"
                // Force this callback to fail.
                return ChainTask(error: NSError(domain: "example.com", code: -1), name: "forcedFailure")
            }
            .continueOnSuccessWithTask(name: "findSalutatorian") { _ in
                // Now this continuation will be skipped.
                store.find(name: "findAsync")
            }
            .continueWithTask(on: .main, name: "handleError") { task -> ChainTask<Void> in
                if let error = task.error as NSError? {
                    // This error handler will be called. Let's handle the error by returning a new value.
                    stage.say("Handled \(error.domain) \(error.code).")
                    return ChainTask((), name: "nothing")
                }
                // This will also be skipped.
                var salutatorian = (task.result ?? [])[1]
                salutatorian.honour = "salutatorian"
                return store.save(salutatorian)
            }
            .continueOnSuccessWith(name: "everythingIsDone") { stage.say("Everything is done.") }
        return [end]
    }
}
