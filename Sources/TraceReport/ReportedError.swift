import TaskEvents
import TraceStore

/// An error as the JSON report has it. One that the trace's table had no room for is `…`, as the table has it.
package struct ReportedError: Encodable {
    package let type: String
    package let message: String

    package init(_ error: EntryID, in store: TraceStore) {
        let description = store.entries.error(error) ?? ErrorDescription(type: "…", message: "…")
        type = description.type
        message = description.message
    }
}
