import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// A task in the JSON report.
struct ReportedTask: JSONFields {
    private let task: TaskView
    private let label: Label
    private let executor: String?
    private let error: ReportedError?
    private let role: FaultRole?
    private let isOpen: Bool
    private let wait: ReportedWait?

    init(_ task: TaskView, in store: TraceStore, _ faults: FaultAnalysis, _ queues: QueuePlaces) {
        isOpen = store.isOver && !task.state.hasEnded
        wait = WaitsFor(task, in: store).map { ReportedWait($0, of: task.id, in: store, queues) }
        self.task = task
        label = task.label
        executor = task.executor == .none ? nil : store.description(of: task.executor).name
        error = task.state == .faulted ? ReportedError(task.error, in: store) : nil
        role = faults.role(of: task)
    }

    func writeFields(to line: inout JSONLine) {
        line.array("antecedents") { line in
            for antecedent in task.antecedents { line.number(antecedent.rawValue) }
        }
        line.field("busy_ns", task.busy)
        line.field("chain", task.chain.rawValue)
        line.field("created_ns", orNull: task.created)
        line.field("ended_ns", orNull: task.ended)
        line.field("error", orNull: error)
        line.field("executor", orNull: executor)
        line.field("hops", task.hopCount)
        line.field("id", task.id.rawValue)
        line.field("kind", task.kind.name)
        line.field("name", label.name)
        line.field("open", isOpen)
        line.field("queued_ns", orNull: task.queued)
        line.field("role", orNull: role?.name)
        line.field("site", orNull: label.site.isEmpty ? nil : label.site)
        line.field("started_ns", orNull: task.started)
        line.field("state", task.isUncertain ? StateMark.unknown.word : task.state.name)
        line.field("waits_for", orNull: wait)
        // The source location that created the task. The label holds the innermost of the calls there that belongs to the program itself.
        line.field("where", orNull: label.site.isEmpty ? nil : label.site)
    }
}
