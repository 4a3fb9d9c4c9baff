import AlecrimTasks
import Foundation

/// The README's conditions with every result: satisfied, not satisfied, failed, and a failed dependency.
struct AlecrimConditions: BackgroundScenario {
    let name = "alecrim-conditions"
    let summary =
        "Alecrim: tasks that wait for conditions; 1 Tasks shows the suspended ones, and which conditions start, cancel or fail their task"

    private struct Refusal: Error {}

    func run(on stage: Stage) {
        stage.withDirectory { directory in
            let file = directory.appendingPathComponent("mounted").path
            unmounted(file, stage)
            mounted(file, stage)
        }
    }

    /// Without a mount, the negated condition is satisfied, and the task that needs a mount is cancelled.
    private func unmounted(_ file: String, _ stage: Stage) {
        let isMounted = BooleanTaskCondition(FileManager.default.fileExists(atPath: file))
        let tasks = [work("while unmounted", NegateTaskCondition(isMounted), stage), work("needs a mount", isMounted, stage)]
        for task in tasks { end(task, stage) }
    }

    private func mounted(_ file: String, _ stage: Stage) {
        // Each evaluation of the condition makes a new dependency task.
        let mounted = TaskCondition(dependencyTask: mount(file, stage), name: "has been mounted") { result in
            result(FileManager.default.fileExists(atPath: file) ? .Satisfied : .NotSatisfied)
        }
        let refuses = TaskCondition(name: "refuses") { result in result(.FailedWithError(Refusal())) }
        let neverThere = TaskCondition(dependencyTask: failure(stage), name: "never there") { result in result(.Satisfied) }
        let tasks = [
            work("mounts first", mounted, stage), work("is refused", refuses, stage), work("depends on a failure", neverThere, stage),
        ]
        for task in tasks { end(task, stage) }
    }

    private func work(_ name: String, _ condition: TaskCondition, _ stage: Stage) -> Task<String> {
        async(condition: condition, name: name) {
            stage.dawdle(.milliseconds(400))
            return name
        }
    }

    private func mount(_ file: String, _ stage: Stage) -> Task<Void> {
        let delay = DelayTaskCondition(timeInterval: stage.paced(.milliseconds(700)) / .seconds(1))
        return async(condition: delay, name: "mount") { try Data("mounted".utf8).write(to: URL(fileURLWithPath: file)) }
    }

    private func failure(_ stage: Stage) -> Task<Void> {
        async(name: "failing dependency") {
            stage.dawdle(.milliseconds(600))
            throw Refusal()
        }
    }

    private func end(_ task: Task<String>, _ stage: Stage) {
        do {
            stage.say("Done: \(try `await`(task)).")
        } catch {
            stage.say(task.cancelled ? "Cancelled." : "Failed: \(error).")
        }
    }
}
