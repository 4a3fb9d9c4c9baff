import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

struct ReportedFault: JSONFields {
    private let fault: FaultPath
    private let store: TraceStore
    private let error: ReportedError

    init(_ fault: FaultPath, in store: TraceStore) {
        self.fault = fault
        self.store = store
        error = ReportedError(fault.error, in: store)
    }

    func writeFields(to line: inout JSONLine) {
        line.field("error", orNull: error)
        line.field("origin", fault.origin.rawValue)
        line.array("path") { line in
            for step in fault.steps {
                line.object { line in
                    line.field("role", orNull: step.role?.name)
                    line.field("task", step.task.rawValue)
                    let place = step.place(in: store)
                    line.field("where", orNull: place.isEmpty ? nil : place)
                }
            }
        }
        line.field("verdict", fault.verdict.name)
    }
}

/// An error in the JSON report. Its fields are `…` if the trace's table had no room for the error.
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
