import InspectorUI
import TaskEvents
import TaskRuntime
import TraceTransport

/// The way back to this process's own tasks: a direct call.
package struct ProcessControls: ControlLine {
    package init() {
        Gatekeeper.takeCommands()
    }

    /// Whether a gate of this process has jobs that wait to be let through.
    package static var areJobsHeld: Bool { Gatekeeper.shared.heldExecutors.contains { $0.jobs > 0 } }

    package func send(_ control: Control) -> ControlAnswer {
        ProcessTrace.shared.carryOut(control)
    }
}

/// The way back to another process's: the socket beside its region.
package struct AttachedControls: ControlLine {
    private let connection: ControlConnection

    /// Throws a sentence where the program takes no commands.
    package init(_ region: RegionFile) throws(TraceProblem) {
        connection = try ControlConnection(to: region, timeout: 500)
    }

    package func send(_ control: Control) -> ControlAnswer {
        do {
            return try connection.send(control)
        } catch {
            return .failed(error.description)
        }
    }
}
