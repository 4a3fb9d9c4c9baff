import AlecrimTasks
import Foundation

/// The README's observers: one that prints start and finish, on a task that runs and on one that never starts; and the predefined one that
/// cancels a slow task.
struct AlecrimObservers: BackgroundScenario {
    let name = "alecrim-observers"
    let summary = "Alecrim: tasks with observers; 1 Tasks shows the one that its observer's timeout cancels, and the one that never starts"

    func run(on stage: Stage) {
        let notified = DispatchGroup()
        let observer = TaskObserver()
            .didStart { _ in stage.say("The task was started...") }
            .didFinish { _ in
                stage.say("The task was finished...")
                notified.leave()
            }
        notified.enter()
        let observed: Task<Void> = async(observers: [observer], name: "observed") { stage.dawdle(.milliseconds(600)) }
        // A task that never starts does not notify its observers.
        let refused: Task<Void> = async(condition: BooleanTaskCondition(false), observers: [observer], name: "refused") {}
        let timeout = TimeoutTaskObserver(timeout: stage.paced(.milliseconds(900)) / .seconds(1))
        let slow: Task<Void> = asyncEx(observers: [timeout], name: "too slow") { task in
            while !task.cancelled { stage.dawdle(.milliseconds(50)) }
        }
        for task in [observed, refused, slow] {
            do {
                try `await`(task)
                stage.say("It succeeded.")
            } catch {
                stage.say("It was cancelled.")
            }
        }
        notified.wait()
    }
}
