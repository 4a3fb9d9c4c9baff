import TraceTransport

/// The connection that carries the user's commands to the inspected program.
package protocol ControlLine {
    /// Sends a command. Returns its answer, or nil if `takeAnswer` will return the answer later. Never waits, because the picture would
    /// freeze. The inspector sends no command before the answer to the last one.
    func send(_ control: Control) -> ControlAnswer?

    /// Returns the answer to the latest command once. Nil if there is none yet. Never waits.
    func takeAnswer() -> ControlAnswer?

    /// The reason why the program takes no commands at all. Nil if it takes some.
    var refusal: String? { get }
}

extension ControlLine {
    package func takeAnswer() -> ControlAnswer? { nil }

    package var refusal: String? { nil }
}

/// Answers every command with the reason why the program takes no commands.
package struct NoControls: ControlLine {
    private let reason: String
    package var refusal: String? { reason }

    package init(_ reason: String) {
        self.reason = reason
    }

    package func send(_ control: Control) -> ControlAnswer? { .failed(reason) }
}
