import Foundation
import TaskRuntime

/// The lines of a file are added up with a round trip to main for each, then with a queue for every step; and their twin, which hops once.
/// Main has a screen to draw meanwhile, so that whoever goes there waits for the frame that is being drawn.
struct HopStorm: ChainScenario {
    let name = "hop-storm"
    let summary =
        "trouble: a sum that asks main after every line, one that queues for every step, and one that hops once; see in Hops what it costs"

    private static let lines = 100

    func start(on stage: Stage) -> [AnyChainTask] {
        var ends: [AnyChainTask] = []
        stage.withDirectory { directory in
            let file = directory.appendingPathComponent("numbers")
            try Data((1...Self.lines).map { "\($0)\n" }.joined().utf8).write(to: file)
            let numbers = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { Int($0) }
            ends = [bouncing(numbers, stage), queueing(numbers, stage), straight(numbers, stage)]
            draw(until: ends, stage)
        }
        return ends
    }

    /// Draws on main, most of each frame, until these have ended.
    private func draw(until ends: [AnyChainTask], _ stage: Stage) {
        Thread.detachNewThread {
            while !ends.allSatisfy(\.isCompleted) {
                ChainExecutor.main.execute { stage.dawdle(.milliseconds(9)) }
                stage.dawdle(.milliseconds(13))
            }
        }
    }

    /// To the pool for a line, to main for the progress, and back.
    private func bouncing(_ numbers: [Int], _ stage: Stage) -> AnyChainTask {
        addUp(numbers, "bouncing", stage) { sum, number, work in
            sum.continueOnSuccessWith(on: work, name: "add \(number)") { add(number, to: $0, stage) }
                .continueOnSuccessWith(on: .main, name: "progress \(number)") { $0 }
        }
    }

    /// Always through the queue, onto the executor that it is on.
    private func queueing(_ numbers: [Int], _ stage: Stage) -> AnyChainTask {
        addUp(numbers, "queueing", stage) { sum, number, work in
            sum.continueOnSuccessWith(on: work, name: "queue for \(number)") { add(number, to: $0, stage) }
        }
    }

    /// Where the work is already, and to main when there is something to show.
    private func straight(_ numbers: [Int], _ stage: Stage) -> AnyChainTask {
        addUp(numbers, "straight", stage) { sum, number, _ in
            sum.continueOnSuccessWith(on: .immediate, name: "go on with \(number)") { add(number, to: $0, stage) }
        }
    }

    /// A chain on a pool called `name`, of what `step` adds for each number. It begins when all of it is there.
    private func addUp(
        _ numbers: [Int], _ name: String, _ stage: Stage,
        _ step: (_ sum: ChainTask<Int>, _ number: Int, _ work: ChainExecutor) -> ChainTask<Int>
    ) -> AnyChainTask {
        let work = ChainExecutor.pool(name: name, width: 1)
        let beginning = TaskCompletionSource<Int>(name: "begin \(name)")
        defer { beginning.set(0) }
        let start = beginning.task.continueOnSuccessWith(on: work, name: "start \(name)") { $0 }
        return numbers.reduce(start) { step($0, $1, work) }
            .continueOnSuccessWith(on: .main, name: "show \(name)") { stage.say("\(name): \($0)") }
    }

    private func add(_ number: Int, to sum: Int, _ stage: Stage) -> Int {
        stage.dawdle(.milliseconds(5))
        return sum + number
    }
}
