import TerminalCanvas
import TraceFile
import TraceStore

/// The program that the inspector started: its output, its input and its processes.
///
/// Used by the session's thread; nothing of it waits.
package protocol InspectedProgram: AnyObject {
    /// What it printed since the last call.
    func takeOutput() -> [UInt8]

    /// Sends it the bytes that a terminal sends for typed keys.
    func type(_ bytes: [UInt8])

    /// The part of the screen that shows its output has another size: so has its terminal.
    func resize(to size: Size)

    /// Its processes that record tasks, the busiest first.
    var processes: [ProgramProcess] { get }

    /// Begins to read the trace of one of its processes from the beginning, in place of another. Nil if it cannot be read.
    func source(of process: ProgramProcess) -> (any TraceSource)?

    /// Whether all of it has ended.
    var hasEnded: Bool { get }
}

/// A process of the inspected program.
package struct ProgramProcess: Hashable, Sendable {
    package var pid: Int32
    package var name: String
    /// Events that it has recorded so far.
    package var eventCount: UInt64

    package init(pid: Int32, name: String, eventCount: UInt64) {
        self.pid = pid
        self.name = name
        self.eventCount = eventCount
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
