import TaskEvents
import TraceTransport

/// The line along which the user's commands reach the inspected program.
package protocol ControlLine {
    /// Sends a command and waits for its answer: for a fraction of a second at most, because the picture stands still meanwhile.
    func send(_ control: Control) -> ControlAnswer
}

/// Answers every command with the reason why nothing can be asked of the program.
package struct NoControls: ControlLine {
    private let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package func send(_ control: Control) -> ControlAnswer { .failed(reason) }
}
