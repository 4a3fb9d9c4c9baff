import AlecrimTasks
import Foundation
import TaskEvents

/// The README's `MutuallyExclusiveTaskCondition`: six tasks write to one file, one at a time, although each could have a thread. One is
/// cancelled while it waits.
struct AlecrimExclusive: BackgroundScenario {
    let name = "alecrim-exclusive"
    let summary =
        "Alecrim: six tasks of one category; 1 Tasks shows that five are suspended while one runs, and that the cancelled one leaves"

    func run(on stage: Stage) {
        stage.withDirectory { try write(to: $0.appendingPathComponent("log"), stage) }
    }

    private func write(to file: URL, _ stage: Stage) throws {
        try Data().write(to: file)
        let writer = Writer(file, stage)
        // The first task runs until all others wait.
        let allInLine = DispatchSemaphore(value: 0)
        let tasks: [Task<Void>] = (1...6).map { number in
            async(condition: MutuallyExclusiveTaskCondition("log"), name: "write \(number)") {
                if number == 1 { allInLine.wait() }
                try writer.append("\(number)\n")
            }
        }
        tasks[3].cancel()
        allInLine.signal()
        for task in tasks where !task.cancelled { try `await`(task) }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        stage.say("Written in the order \(lines.joined(separator: " ")), at most \(writer.most) at a time.")
    }

    /// Appends to the file in two steps, and counts writers that overlap.
    private final class Writer: Sendable {
        private let file: URL
        private let stage: Stage
        private let writing = Guarded((now: 0, most: 0))

        init(_ file: URL, _ stage: Stage) {
            self.file = file
            self.stage = stage
        }

        /// The largest number of writers at one time.
        var most: Int { writing.withLock { $0.most } }

        func append(_ line: String) throws {
            writing.withLock { writing in
                writing.now += 1
                writing.most = max(writing.most, writing.now)
            }
            defer { writing.withLock { $0.now -= 1 } }
            let before = try Data(contentsOf: file)
            stage.dawdle(.milliseconds(450))
            try (before + Data(line.utf8)).write(to: file)
        }
    }
}
