import TaskEvents
import TraceTransport

/// The way back: what the user asks of the inspected program goes along it.
package protocol ControlLine {
    /// Has a command carried out, and waits for the answer; for a part of a second at most, because the picture stands still meanwhile.
    func send(_ control: Control) -> ControlAnswer
}

/// No way back: every command is answered with the reason.
package struct NoControls: ControlLine {
    private let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package func send(_ control: Control) -> ControlAnswer { .failed(reason) }
}
