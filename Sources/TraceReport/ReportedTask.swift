import TaskEvents
import TraceAnalysis
import TraceStore

/// A task as the JSON report has it.
struct ReportedTask: Encodable {
    private let task: TaskView
    private let label: Label
    private let executor: String?
    private let error: ReportedError?
    private let role: FaultRole?

    init(_ task: TaskView, in store: TraceStore, _ faults: FaultAnalysis) {
        self.task = task
        label = task.label
        executor = task.executor == .none ? nil : store.description(of: task.executor).name
        error = task.state == .faulted ? ReportedError(task.error, in: store) : nil
        role = faults.role(of: task)
    }

    private enum Key: String, CodingKey {
        case id, name, kind, state, chain, antecedents, executor
        case created = "created_ns"
        case queued = "queued_ns"
        case started = "started_ns"
        case ended = "ended_ns"
        case busy = "busy_ns"
        case hops, site, error, role
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(task.id.rawValue, forKey: .id)
        try container.encode(label.name, forKey: .name)
        try container.encode(task.kind.name, forKey: .kind)
        try container.encode(task.state.name, forKey: .state)
        try container.encode(task.chain.rawValue, forKey: .chain)
        try container.encode(task.antecedents.map(\.rawValue), forKey: .antecedents)
        try container.encodeOrNull(executor, forKey: .executor)
        try container.encodeOrNull(task.created, forKey: .created)
        try container.encodeOrNull(task.queued, forKey: .queued)
        try container.encodeOrNull(task.started, forKey: .started)
        try container.encodeOrNull(task.ended, forKey: .ended)
        try container.encode(task.busy, forKey: .busy)
        try container.encode(task.hopCount, forKey: .hops)
        try container.encodeOrNull(label.site.isEmpty ? nil : label.site, forKey: .site)
        if let error { try container.encode(error, forKey: .error) } else { try container.encodeNil(forKey: .error) }
        try container.encodeOrNull(role?.name, forKey: .role)
    }
}
