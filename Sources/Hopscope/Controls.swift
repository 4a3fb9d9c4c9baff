import InspectorUI
import TaskEvents
import TaskRuntime
import TraceTransport

/// Controls this process's own tasks by direct calls.
package struct ProcessControls: ControlLine {
    package init() {
        Gatekeeper.takeCommands()
    }

    /// Whether a gate of this process holds jobs.
    package static var areJobsHeld: Bool { Gatekeeper.shared.heldExecutors.contains { $0.jobs > 0 } }

    package func send(_ control: Control) -> ControlAnswer? {
        ProcessTrace.shared.carryOut(control)
    }
}

/// Controls another process's tasks through the socket beside its region.
package struct AttachedControls: ControlLine {
    private let connection: ControlConnection

    /// Throws if the program does not accept commands.
    package init(_ region: RegionFile) throws(TraceProblem) {
        connection = try ControlConnection(to: region)
    }

    package func send(_ control: Control) -> ControlAnswer? {
        connection.ask(control)
        return nil
    }

    package func takeAnswer() -> ControlAnswer? {
        guard connection.isAnswered else { return nil }
        do {
            return try connection.answer()
        } catch {
            return .failed(error.description)
        }
    }
}
