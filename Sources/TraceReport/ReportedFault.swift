import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// A fault as every output states it: the error, and the tasks that it reached.
package struct ReportedFault {
    package struct Step {
        package let task: TaskID
        package let role: FaultRole?
        /// The place of the throw; nil if it is unknown.
        package let site: String?
    }

    package let origin: TaskID
    package let error: ReportedError
    package let path: [Step]
    package let verdict: Verdict
    /// The time at which the origin ended.
    package let at: UInt64?

    /// Writes the keys of a report.
    package func write(to line: inout JSONLine) {
        line.object("error") { error.write(to: &$0) }
        line.field("origin", origin.rawValue)
        line.array("path") { line in
            for step in path {
                line.object { line in
                    line.field("role", orNull: step.role?.name)
                    line.field("task", step.task.rawValue)
                    line.field("where", orNull: step.site)
                }
            }
        }
        line.field("verdict", verdict.name)
    }
}

/// An error as every output states it. The type and the message are `…` if the trace's table had no room for the error.
package struct ReportedError {
    package let type: String
    package let message: String
    /// The error on one line.
    package let text: String

    package init(_ error: EntryID, in store: TraceStore) {
        let description = store.entries.error(error)
        type = description?.type ?? "…"
        message = description?.message ?? "…"
        text = ErrorText.text(description)
    }

    /// Writes the keys of a report.
    package func write(to line: inout JSONLine) {
        line.field("message", message)
        line.field("type", type)
    }
}
