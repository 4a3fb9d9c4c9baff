import TerminalCanvas
import TraceTransport

/// The program that the inspector started: its output, its input and its processes.
///
/// The session's thread uses it. No call waits.
package protocol InspectedProgram: AnyObject {
    /// The bytes that the program printed since the last call.
    func takeOutput() -> [UInt8]

    /// Sends it the bytes that a terminal sends for typed keys.
    func type(_ bytes: [UInt8])

    /// Gives the program's terminal the size of the screen part that shows its output.
    func resize(to size: Size)

    /// The program's processes that record tasks, the busiest first.
    var processes: [ProgramProcess] { get }

    /// Begins to read the trace of another process from the beginning, in place of the current one. Nil if the trace cannot be read.
    func source(of process: ProgramProcess) -> (any TraceSource)?

    /// Whether all of the program's processes have ended.
    var hasEnded: Bool { get }

    /// Asks the program to end, as a shell does.
    func end()

    /// Whether the program reads what is typed.
    var takesInput: Bool { get }

    /// The scene that begins now, for a demo that leads through itself. Nil if the scene is the same as at the last call.
    func takeScene() -> String?
}

extension InspectedProgram {
    package var takesInput: Bool { true }

    package func takeScene() -> String? { nil }

    package func end() {}
}

/// A process of the inspected program.
package struct ProgramProcess: Hashable, Sendable {
    package var pid: Int32
    package var name: String
    /// The number of events recorded so far.
    package var eventCount: UInt64
    package var hasEnded: Bool

    package init(pid: Int32, name: String, eventCount: UInt64, hasEnded: Bool = false) {
        self.pid = pid
        self.name = name
        self.eventCount = eventCount
        self.hasEnded = hasEnded
    }
}

/// The empty source that is shown until a process emits events.
package final class SilentSource: TraceSource {
    private let program: any InspectedProgram

    package init(_ program: any InspectedProgram) {
        self.program = program
    }

    package func take() -> [TraceBatch] { [] }

    package var now: UInt64 { 0 }

    package var hasEnded: Bool { program.hasEnded && program.processes.isEmpty }
}
