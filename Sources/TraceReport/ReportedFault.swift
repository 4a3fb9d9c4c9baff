import TaskEvents
import TraceAnalysis
import TraceStore

/// A fault as the JSON report has it.
struct ReportedFault: Encodable {
    private let fault: FaultPath
    private let error: ReportedError

    init(_ fault: FaultPath, in store: TraceStore) {
        self.fault = fault
        error = ReportedError(fault.error, in: store)
    }

    private enum Key: String, CodingKey {
        case origin, error, path, verdict
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(fault.origin.rawValue, forKey: .origin)
        try container.encode(error, forKey: .error)
        try container.encode(fault.steps.map(Step.init), forKey: .path)
        try container.encode(fault.verdict.name, forKey: .verdict)
    }

    private struct Step: Encodable {
        let step: FaultStep

        enum Key: String, CodingKey {
            case task, role
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(step.task.rawValue, forKey: .task)
            try container.encodeOrNull(step.role?.name, forKey: .role)
        }
    }
}
