import InspectorUI
import TaskEvents
import TerminalCanvas

/// A demo as the inspector shows it: what it prints, and what there is to see. It plays in this process and reads no input. Scenarios write
/// to it on any thread.
final class ShownDemo: InspectedProgram, Sendable {
    private struct Written {
        var output: [UInt8] = []
        var scene: String?
    }

    private let run: ScenarioRun
    private let written = Guarded(Written())

    init(_ run: ScenarioRun) {
        self.run = run
    }

    func say(_ line: String) {
        // A terminal begins a new line on its left only after a carriage return.
        written.withLock { $0.output += Array("\(line)\r\n".utf8) }
    }

    /// The scene stands above the event strip, and in the output.
    func begin(scene: String) {
        say(scene)
        written.withLock { $0.scene = scene }
    }

    func takeOutput() -> [UInt8] {
        written.withLock { written in
            defer { written.output = [] }
            return written.output
        }
    }

    func takeScene() -> String? {
        written.withLock { written in
            defer { written.scene = nil }
            return written.scene
        }
    }

    let takesInput = false

    func type(_ bytes: [UInt8]) {}

    func resize(to size: Size) {}

    let processes: [ProgramProcess] = []

    func source(of process: ProgramProcess) -> (any TraceSource)? { nil }

    var hasEnded: Bool { run.hasEnded }
}
