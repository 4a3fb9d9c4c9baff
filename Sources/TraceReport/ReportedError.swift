import TaskEvents
import TraceStore

/// An error as the JSON report has it. An error that the trace's table had no room for is `…`, as the table has it.
package struct ReportedError: JSONFields {
    package let type: String
    package let message: String

    package init(_ error: EntryID, in store: TraceStore) {
        let description = store.entries.error(error) ?? ErrorDescription(type: "…", message: "…")
        type = description.type
        message = description.message
    }

    package func writeFields(to line: inout JSONLine) {
        line.field("message", message)
        line.field("type", type)
    }
}
