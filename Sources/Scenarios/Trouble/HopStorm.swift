import Dispatch
import Foundation
import TaskRuntime

/// Adds up the lines of a file three times: with a hop to main and back for each line, through a queue for each line, and with a single
/// hop. Main draws a screen meanwhile, so that each hop onto main waits for a frame.
struct HopStorm: ChainScenario {
    let name = "hop-storm"
    let summary =
        "trouble: sums that hop to main for every line, queue for every line, or hop once; 6 Hops shows the costs, and whom each hop waited for"

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

    /// Keeps main busy for most of each frame until `ends` have ended. A frame is asked for once the one before it is drawn: otherwise the
    /// frames would pile up in main's queue wherever main has less than its share of a busy machine, and while a gate holds them.
    private func draw(until ends: [AnyChainTask], _ stage: Stage) {
        Thread.detachNewThread {
            let drawn = DispatchSemaphore(value: 0)
            while !ends.allSatisfy(\.isCompleted) {
                ChainExecutor.main.execute {
                    stage.dawdle(.milliseconds(9))
                    drawn.signal()
                }
                drawn.wait()
                stage.dawdle(.milliseconds(4))
            }
        }
    }

    /// Adds each line on the pool and reports progress on main.
    private func bouncing(_ numbers: [Int], _ stage: Stage) -> AnyChainTask {
        addUp(numbers, "bouncing", stage) { sum, number, work in
            sum.continueOnSuccessWith(on: work, name: "add \(number)") { add(number, to: $0, stage) }
                .continueOnSuccessWith(on: .main, name: "progress \(number)") { $0 }
        }
    }

    /// Queues each step on the executor on which it already runs.
    private func queueing(_ numbers: [Int], _ stage: Stage) -> AnyChainTask {
        addUp(numbers, "queueing", stage) { sum, number, work in
            sum.continueOnSuccessWith(on: work, name: "queue for \(number)") { add(number, to: $0, stage) }
        }
    }

    /// Stays on the pool, and hops to main once, with the sum.
    private func straight(_ numbers: [Int], _ stage: Stage) -> AnyChainTask {
        addUp(numbers, "straight", stage) { sum, number, _ in
            sum.continueOnSuccessWith(on: .immediate, name: "go on with \(number)") { add(number, to: $0, stage) }
        }
    }

    /// Builds a chain on a pool called `name`, with the tasks of `step` for each number, and then starts it.
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
