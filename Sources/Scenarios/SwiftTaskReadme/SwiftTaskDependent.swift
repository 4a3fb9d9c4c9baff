import AWSTasks
import Foundation
import SwiftTasks
import TaskRuntime

/// The README's `switch` over a completion value, for each kind of end.
struct SwiftTaskDependent: ChainScenario {
    let name = "swifttask-dependent"
    let summary = "SwiftTask: a switch over each kind of end; 3 Executors shows that every block goes through a queue, even onto its own"

    func start(on stage: Stage) -> [AnyChainTask] {
        let givenUp = SwiftTaskCompletionSource(name: "given up")
        givenUp.cancel()
        let functionsThatReturnATask = [
            FetchedFile(stage).performFetchWithTask(name: "good file"),
            FetchedFile(stage, .missing).performFetchWithTask(name: "missing file"),
            FetchedFile(stage, .spoilt).performFetchWithTask(name: "spoilt file"),
            givenUp.task,
        ]
        return functionsThatReturnATask.map { function in
            function
                .dependentTaskWith({ Self.words(for: $0.completionValue) }, name: "switch")
                .dependentTaskWith({ words in "The file: \(words.result as? String ?? "")" }, name: "make a sentence")
                .dependentTaskOnMainQueueWith(
                    { sentence in
                        stage.say(sentence.result as? String ?? "")
                        return nil
                    }, name: "say on main"
                ).bftask().chain
        }
    }

    private static func words(for completionValue: SwiftTaskCompletionValue) -> String {
        switch completionValue {
        case .NotDone: "this shouldn't happen!"
        case .Cancelled: "cancelled"
        case .Exception(let exception): "exception: \(exception)"
        case .Error(let error): "error: \(error.localizedDescription)"
        case .Result(let result): "result: \((result as? [String] ?? []).count) titles"
        }
    }
}
