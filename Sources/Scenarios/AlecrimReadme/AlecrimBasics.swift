import AlecrimTasks
import Foundation

/// The README's basics: failable and non-failable tasks, `asyncEx`, several tasks that await one, a body that awaits others, and `runTask`
/// for the main thread.
struct AlecrimBasics: BackgroundScenario {
    let name = "alecrim-basics"
    let summary = "Alecrim: async, await and runTask; 1 Tasks shows which thread blocks on which task, 5 Faults which task reads the error"

    func run(on stage: Stage) {
        let calculator = Calculator(stage: stage)
        failable(calculator, stage)
        let value = `await` { calculator.asyncCalculateSurely(1_000) }
        stage.say("Surely \(value % 1_000).")
        awaitTogether(calculator, stage)
        onMain(calculator, stage)
    }

    private func failable(_ calculator: Calculator, _ stage: Stage) {
        // The task starts at once; other work can run until its value is needed.
        let tasks = [1_000, 2_000_000].map { calculator.asyncCalculate($0) }
        for task in tasks {
            do {
                stage.say("The result is \(try `await`(task) % 1_000).")
            } catch {
                stage.say("\(error)")
            }
        }
    }

    /// A body may await other tasks. Several bodies may await one task, which runs once.
    private func awaitTogether(_ calculator: Calculator, _ stage: Stage) {
        let shared = calculator.asyncCalculateElsewhere(1_000)
        let sums: [Task<UInt64>] = (1...2).map { number in
            async(name: "sum \(number)") { try `await`(shared) &+ UInt64(number) }
        }
        for sum in sums {
            // None of these tasks throws.
            if let value = try? `await`(sum) { stage.say("The sum is \(value % 1_000).") }
        }
    }

    /// The main thread must not await a task; it uses a completion handler.
    private func onMain(_ calculator: Calculator, _ stage: Stage) {
        let shown = DispatchGroup()
        for count in [1_000, 2_000_000] {
            shown.enter()
            runTask(calculator.asyncCalculate(count), name: "completion") { value, error in
                stage.say(error.map { "\($0)" } ?? "The result is \((value ?? 0) % 1_000).")
                // Leaves after main has run this block.
                DispatchQueue.main.async { shown.leave() }
            }
        }
        shown.wait()
    }
}

/// Stands in for the README's calculation: hashes `count` numbers.
struct Calculator: Sendable {
    struct TooLarge: Error {
        let count: Int
    }

    let stage: Stage

    func asyncCalculate(_ count: Int, name: String = "asyncCalculate") -> Task<UInt64> {
        async(name: name) {
            if count > 1_000_000 { throw TooLarge(count: count) }
            return calculate(count)
        }
    }

    func asyncCalculateSurely(_ count: Int) -> NonFailableTask<UInt64> {
        async(name: "asyncCalculateSurely") { calculate(count) }
    }

    /// Another thread finishes the task.
    func asyncCalculateElsewhere(_ count: Int) -> Task<UInt64> {
        asyncEx(name: "asyncCalculateElsewhere") { task in
            Thread.detachNewThread { task.finishWithValue(calculate(count), error: nil) }
        }
    }

    func calculate(_ count: Int) -> UInt64 {
        stage.hash(count, in: .milliseconds(500))
    }
}
