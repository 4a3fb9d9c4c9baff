import AlecrimTasks
import Foundation

/// The README's cancellation: a body that checks `cancelled` and stops, a task cancelled before its body starts, and an error whose code
/// means a cancellation.
struct AlecrimCancel: BackgroundScenario {
    let name = "alecrim-cancel"
    let summary =
        "Alecrim: three cancelled tasks; 1 Tasks shows which one ran and stopped, which never began, and that none of them is a fault"

    func run(on stage: Stage) {
        let hasBegun = DispatchSemaphore(value: 0)
        let polling: Task<Int> = asyncEx(name: "looks at cancelled") { task in
            hasBegun.signal()
            var hashes = 0
            while !task.cancelled, stage.hash(1_000, in: .milliseconds(100)) != 0 { hashes += 1 }
            // Finishing a cancelled task has no effect.
            task.finishWithValue(hashes)
        }
        // A condition that never answers.
        let waiting: Task<Int> = async(condition: TaskCondition(name: "a better day") { _ in }, name: "never begins") {
            stage.say("This is never said.")
            return 0
        }
        let ending: Task<Int> = asyncEx(name: "ends with NSUserCancelledError") { task in
            task.finishWithError(NSError(domain: NSCocoaErrorDomain, code: NSUserCancelledError))
        }
        hasBegun.wait()
        stage.dawdle(.seconds(1))
        for task in [polling, waiting] { task.cancel() }
        for task in [polling, waiting, ending] {
            do {
                stage.say("\(try `await`(task))")
            } catch {
                stage.say("Cancelled: \(error._domain) \(error._code).")
            }
        }
    }
}
