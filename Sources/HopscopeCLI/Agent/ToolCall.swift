/// What a tool may ask about the call that it answers.
struct ToolCall {
    /// Whether the agent has cancelled the call or closed the connection. Asked from time to time by tools that take long.
    var isCancelled: () -> Bool = { false }
}
