import Foundation
import TaskRuntime

/// Hashes a file on main while ticks wait for main; then, for comparison, in the background.
struct MainStallScenario: BackgroundScenario {
    let name = "main-stall"
    let summary = "trouble: a file hashed on main, then in the background; 3 Executors shows main's queue grow, 6 Hops which job blocked it"

    private static let ticks = 12

    var tellsScenes: Bool { true }

    func run(on stage: Stage) {
        stage.withDirectory { directory in
            let file = directory.appendingPathComponent("film").path
            try Data(repeating: 7, count: 1 << 20).write(to: URL(fileURLWithPath: file))
            stage.scene("Scene 1 of 2: main hashes a file, so its ticks wait; 3 Executors shows its queue grow, 7 Warnings the stall")
            tick("stalled tick", stage, during: onMain(file, stage))
            stage.scene("Scene 2 of 2: disk hashes the file, and the ticks are in time; 4 Timeline shows both, 6 Hops and m the stall")
            tick("tick", stage, during: inBackground(file, stage))
        }
    }

    private func onMain(_ file: String, _ stage: Stage) -> AnyChainTask {
        ChainTask(on: .main, name: "hash on main") { try hash(file, stage) }
            .continueWith(on: .main, name: "show") { show($0, stage) }
    }

    private func inBackground(_ file: String, _ stage: Stage) -> AnyChainTask {
        ChainTask(on: .pool(name: "disk", width: 1), name: "hash in the background") { try hash(file, stage) }
            .continueWith(on: .main, name: "show") { show($0, stage) }
    }

    private func hash(_ file: String, _ stage: Stage) throws -> FileHash {
        stage.dawdle(.milliseconds(1_000))
        return try FileHash(of: file)
    }

    private func show(_ task: ChainTask<FileHash>, _ stage: Stage) {
        stage.say(task.error.map { "Error: \($0)" } ?? "Hashed \(task.result?.length ?? 0) bytes.")
    }

    /// Sends main a job every 100 ms, as a user interface does. Returns when `work` and all jobs have ended.
    private func tick(_ name: String, _ stage: Stage, during work: AnyChainTask) {
        let ticks = (1...Self.ticks).map { number in
            let tick = ChainTask(on: .main, name: "\(name) \(number)") {}
            stage.dawdle(.milliseconds(100))
            return tick
        }
        for task in [work] + ticks { task.wait() }
    }
}
