import TaskEvents
import TraceAnalysis
import TraceStore

/// A fault as the JSON report has it.
struct ReportedFault: JSONFields {
    private let fault: FaultPath
    private let error: ReportedError

    init(_ fault: FaultPath, in store: TraceStore) {
        self.fault = fault
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
                }
            }
        }
        line.field("verdict", fault.verdict.name)
    }
}
