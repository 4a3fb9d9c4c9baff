import TaskEvents
import TraceTransport

/// The connection that carries the user's commands to the inspected program.
package protocol ControlLine {
    /// Sends a command and waits for its answer. Waits a fraction of a second at most, because the picture does not change meanwhile.
    func send(_ control: Control) -> ControlAnswer
}

/// Answers every command with the reason why the program takes no commands.
package struct NoControls: ControlLine {
    private let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package func send(_ control: Control) -> ControlAnswer { .failed(reason) }
}
