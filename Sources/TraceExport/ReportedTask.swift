import TaskEvents
import TraceAnalysis
import TraceStore

/// A task as the JSON report has it.
struct ReportedTask: Encodable {
    private let task: TaskView
    private let executor: String?
    private let error: ReportedError?
    private let role: FaultRole?

    init(_ task: TaskView, in store: TraceStore, _ faults: FaultAnalysis) {
        self.task = task
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
        try container.encode(task.label.name, forKey: .name)
        try container.encode(task.kind.name, forKey: .kind)
        try container.encode(task.state.name, forKey: .state)
        try container.encode(task.chain.rawValue, forKey: .chain)
        try container.encode(task.antecedents.map(\.rawValue), forKey: .antecedents)
        try container.encode(executor, forKey: .executor)
        try container.encode(task.created, forKey: .created)
        try container.encode(task.queued, forKey: .queued)
        try container.encode(task.started, forKey: .started)
        try container.encode(task.ended, forKey: .ended)
        try container.encode(task.busy, forKey: .busy)
        try container.encode(task.hopCount, forKey: .hops)
        try container.encode(task.label.site.isEmpty ? nil : task.label.site, forKey: .site)
        try container.encode(error, forKey: .error)
        try container.encode(role?.name, forKey: .role)
    }
}
