import AlecrimTasks
import Foundation
import TaskEvents

/// The README's `MutuallyExclusiveTaskCondition`: of six tasks that write to one file never two run, though there are threads for all; one of
/// them gives up while it waits.
struct AlecrimExclusive: BackgroundScenario {
    let name = "alecrim-exclusive"
    let summary =
        "Alecrim: six tasks of one category; see in Tasks that five are suspended while one runs, and that the cancelled one lets go"

    func run(on stage: Stage) {
        stage.withDirectory { try write(to: $0.appendingPathComponent("log"), stage) }
    }

    private func write(to file: URL, _ stage: Stage) throws {
        try Data().write(to: file)
        let writer = Writer(file, stage)
        // The first keeps the others waiting until all stand in line.
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

    /// Appends to the file in two steps, between which somebody else could come, and counts who does.
    private final class Writer: Sendable {
        private let file: URL
        private let stage: Stage
        private let writing = Guarded((now: 0, most: 0))

        init(_ file: URL, _ stage: Stage) {
            self.file = file
            self.stage = stage
        }

        /// The most that were ever at it at a time.
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
