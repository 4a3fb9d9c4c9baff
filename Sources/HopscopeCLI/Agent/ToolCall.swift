/// The call that a tool answers.
struct ToolCall {
    /// Whether the agent has cancelled the call or closed the connection. Asked from time to time by tools that take long.
    var isCancelled: () -> Bool = { false }
}
