import TaskEvents
import TraceAnalysis
import TraceStore

/// A finding as the JSON report has it. Its evidence are events: what happened, to which task, on which executor, when.
struct ReportedWarning: Encodable {
    private let finding: Finding
    private let message: String
    private let evidence: [Proof]

    init(_ finding: Finding, of list: WarningList, in store: TraceStore) {
        self.finding = finding
        message = list.message(of: finding, in: store)
        evidence = finding.evidence.map {
            Proof(evidence: $0, executor: $0.executor == .none ? nil : store.description(of: $0.executor).name)
        }
    }

    private enum Key: String, CodingKey {
        case rule, severity, task, message, evidence
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(finding.rule, forKey: .rule)
        try container.encode(finding.severity.name, forKey: .severity)
        try container.encodeOrNull(finding.task == .none ? nil : finding.task.rawValue, forKey: .task)
        try container.encode(message, forKey: .message)
        try container.encode(evidence, forKey: .evidence)
    }

    private struct Proof: Encodable {
        let evidence: Evidence
        let executor: String?

        enum Key: String, CodingKey {
            case event, task, executor
            case at = "at_ns"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(EventDescription[evidence.kind].name, forKey: .event)
            try container.encodeOrNull(evidence.task == .none ? nil : evidence.task.rawValue, forKey: .task)
            try container.encodeOrNull(executor, forKey: .executor)
            try container.encodeOrNull(evidence.at, forKey: .at)
        }
    }
}
