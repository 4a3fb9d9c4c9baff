import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// A finding in the JSON report. Its evidence is a list of events with the kind, the task, the executor and the time of each.
struct ReportedWarning: JSONFields {
    private let finding: Finding
    private let message: String
    private let place: String?
    private let store: TraceStore

    init(_ finding: Finding, of list: WarningList, in store: TraceStore) {
        self.finding = finding
        self.store = store
        place = list.place(of: finding, in: store)
        message = list.message(of: finding, in: store)
    }

    func writeFields(to line: inout JSONLine) {
        line.array("evidence") { line in
            for evidence in finding.evidence { line.object { write(evidence, to: &$0) } }
        }
        line.field("message", message)
        line.field("rule", finding.rule)
        line.field("severity", finding.severity.name)
        line.field("task", orNull: finding.task == .none ? nil : finding.task.rawValue)
        line.field("where", orNull: place)
    }

    private func write(_ evidence: Evidence, to line: inout JSONLine) {
        line.field("at_ns", orNull: evidence.at)
        line.field("event", EventDescription[evidence.kind].name)
        line.field("executor", orNull: evidence.executor == .none ? nil : store.description(of: evidence.executor).name)
        line.field("task", orNull: evidence.task == .none ? nil : evidence.task.rawValue)
    }
}
