import AWSTasks
import Foundation
import SwiftTasks
import TaskRuntime

/// `taskForCompletionOfAllTasks`, once with tasks that succeed, one of which follows a Bolts task, and once with tasks of every other
/// outcome.
struct SwiftTaskAll: ChainScenario {
    let name = "swifttask-all"
    let summary =
        "SwiftTask: two joins, one of which gathers two faults into one error; 2 Graph shows their inputs, 5 Faults how both paths meet"

    func start(on stage: Stage) -> [AnyChainTask] {
        let files = (1...4).map { FetchedFile(stage).performFetchWithTask(name: "file \($0)") }
        let fromBolts = FetchedFile(stage).performFetchWithTask(name: "file 5")
            // It's also "legal" to return a BFTask.
            .dependentTaskWith({ _ in FetchedFile(stage).performFetchWithTask(name: "file 6").bftask() }, name: "follow a BFTask")
        let all = SwiftTask.taskForCompletionOfAllTasks(files + [fromBolts], name: "all files")
            .completionTaskOnMainQueueWith(
                { _ in
                    stage.say("All files are there.")
                    return nil
                }, name: "say so")

        let givenUp = SwiftTaskCompletionSource(name: "given up")
        givenUp.cancel()
        let failing = [
            FetchedFile(stage, .missing).performFetchWithTask(name: "missing file"),
            FetchedFile(stage, .spoilt).performFetchWithTask(name: "spoilt file"),
            givenUp.task,
        ]
        let gathered = SwiftTask.taskForCompletionOfAllTasks(failing, name: "all that fails")
            .dependentTaskOnMainQueueWith(
                { task in
                    let errors = (task.error as NSError?)?.userInfo[AWSTaskMultipleErrorsUserInfoKey] as? [any Error] ?? []
                    stage.say("\(errors.count) errors, and a cancellation that they beat.")
                    return nil
                }, name: "count the errors")
        return [all, gathered].map { $0.bftask().chain }
    }
}
