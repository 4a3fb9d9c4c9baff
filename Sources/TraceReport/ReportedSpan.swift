import TaskEvents

/// A task as a span of a distributed trace, in nanoseconds from the start of the observed trace.
///
/// The span of a task with a started body goes from the body's start to the task's end. A task without a body (a join, a delay, a source)
/// has a span from its creation. A task that was skipped or cancelled before its body started has an empty span at its end. An open span
/// ends with the trace.
package struct ReportedSpan {
    package struct Link {
        package let task: TaskID
        package let chain: TaskID
        /// `input` of a join, `inner` for a task that the body returned, `awaited` by the body, `resumed` by a block.
        package let role: String
    }

    package var task: ReportedTask
    /// The task from whose id the trace's id is made.
    package var trace: TaskID
    /// The task that the span's task continues, if it is in the same trace and the store has it.
    package var parent: TaskID?
    /// The call site, or the task's name where the site is unknown. OpenTelemetry asks for names with few values, and a task's own name may
    /// contain a number.
    package let name: String
    package let start: UInt64
    package let end: UInt64
    package let links: [Link]
    package let hops: [ReportedHop]
    /// Further attributes: why the span was sent.
    package var attributes: [(key: String, value: String)] = []
}
