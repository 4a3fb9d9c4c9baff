import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// A task as every output states it. A fact that the trace, or the snapshot, does not show is nil.
package struct ReportedTask {
    package let id: TaskID
    package let kind: TaskKind
    /// The task's name and the call site that created it. The name is `task 12` if the trace has none.
    package let label: Label
    /// `unknown` if the task's last event may be lost, `ended` if the trace does not show how it ended. Never `skipped`.
    package let state: DisplayedState
    package let chain: TaskID
    /// The task that it continues, or a join's inputs in order; then the task that its body returned.
    package var antecedents: [TaskID] = []
    /// The requested executor.
    package var executor: String?
    package var created: UInt64?
    package var queued: UInt64?
    package var started: UInt64?
    package var ended: UInt64?
    package var busy: UInt64?
    package var queuedTime: UInt64?
    package var suspendedTime: UInt64?
    package var hops: UInt64?
    /// The parts of its life. Nil if the trace lacks some of its records.
    package var time: TimeParts?
    /// Whether the program has ended, and the task has not.
    package var isOpen = false
    package var isSkipped = false
    package var isSynthesised = false
    /// Whether the task was there before the probe was loaded into the running process.
    package var isAdopted = false
    package var error: ReportedError?
    package var role: FaultRole?
    package var wait: ReportedWait?
    /// The asynchronous stack, innermost call first. Nil in a trace.
    package var stack: [ReportedCall]?

    package init(id: TaskID, kind: TaskKind, label: Label, state: DisplayedState, chain: TaskID) {
        (self.id, self.kind, self.label, self.state, self.chain) = (id, kind, label, state, chain)
    }

    /// The state on the screens, but a skipped task has the outcome that it took over.
    package static func state(of task: TaskView) -> DisplayedState {
        let state = DisplayedState(task)
        return state == .skipped ? DisplayedState(task.state) : state
    }

    /// Writes the keys of a report.
    package func write(to line: inout JSONLine) {
        line.field("adopted", isAdopted)
        line.array("antecedents") { line in
            for antecedent in antecedents { line.number(antecedent.rawValue) }
        }
        line.field("busy_ns", orNull: busy)
        line.field("chain", chain.rawValue)
        line.field("created_ns", orNull: created)
        line.field("ended_ns", orNull: ended)
        line.object("error", orNull: error) { line, error in error.write(to: &line) }
        line.field("executor", orNull: executor)
        line.field("hops", orNull: hops)
        line.field("id", id.rawValue)
        line.field("kind", kind.name)
        line.field("name", label.fullName)
        line.field("open", isOpen)
        line.field("queued_ns", orNull: queued)
        line.field("role", orNull: role?.name)
        line.field("site", orNull: label.knownSite)
        if let stack { line.calls("stack", stack) }
        line.field("started_ns", orNull: started)
        line.field("state", state.word)
        line.object("time") { line in TimeParts.write(time, to: &line) }
        line.object("waits_for", orNull: wait) { line, wait in wait.write(to: &line) }
        // The source location that created the task. The label holds the innermost of the calls there that belongs to the program itself.
        line.field("where", orNull: label.knownSite)
    }
}

/// The reason why a task does not run.
package struct ReportedWait {
    private let kind: WaitsFor.Kind
    /// The awaited task, or the one that holds the executor; `.none` if unknown.
    private let task: TaskID
    private let executor: String?
    /// The position in the executor's queue; the next job has position 1.
    private let position: UInt64?
    private let site: String?
    private let cause: Cause?
    private let holder: ReportedHolder?
    private let descriptor: ReportedDescriptor?

    /// The task or block that holds the executor, and the site that made it.
    package struct Cause {
        let task: TaskID
        let site: String?
    }

    package init(
        kind: WaitsFor.Kind, task: TaskID, executor: String?, position: UInt64?, site: String?, cause: Cause? = nil,
        holder: ReportedHolder? = nil, descriptor: ReportedDescriptor? = nil
    ) {
        (self.kind, self.task, self.executor, self.position, self.site) = (kind, task, executor, position, site)
        (self.cause, self.holder, self.descriptor) = (cause, holder, descriptor)
    }

    /// Writes the keys of a report.
    package func write(to line: inout JSONLine) {
        line.object("cause", orNull: cause) { line, cause in
            line.field("kind", cause.task.isBlock ? "block" : "task")
            line.field("where", orNull: cause.site)
        }
        line.field("executor", orNull: executor)
        line.object("holder", orNull: holder) { line, holder in holder.write(to: &line) }
        line.object("io", orNull: descriptor) { line, descriptor in descriptor.write(to: &line) }
        line.field("kind", kind.rawValue)
        line.field("position", orNull: position)
        line.field("task", orNull: task)
        line.field("where", orNull: site)
    }
}

/// The owner of the continuation that a task waits for. Only a look at a process's memory tells it.
package struct ReportedHolder {
    private let proof: String
    private let path: [(type: String, field: String)]

    package init(proof: String, path: [(type: String, field: String)]) {
        (self.proof, self.path) = (proof, path)
    }

    fileprivate func write(to line: inout JSONLine) {
        line.array("path") { line in
            for step in path {
                line.object { line in
                    line.field("field", orNull: step.field.isEmpty ? nil : step.field)
                    line.field("type", step.type)
                }
            }
        }
        line.field("proof", proof)
    }
}

/// The file descriptor that a task waits for. Only a look at a process tells it.
package struct ReportedDescriptor {
    private let number: Int32?
    private let kind: String
    private let peer: String?
    private let state: String?
    private let isLikely: Bool

    /// - Parameters:
    ///   - number: Nil for one of several connections.
    ///   - isLikely: Whether it is only likely that the task waits for this descriptor.
    package init(number: Int32?, kind: String, peer: String?, state: String?, isLikely: Bool) {
        (self.number, self.kind, self.peer, self.state, self.isLikely) = (number, kind, peer, state, isLikely)
    }

    fileprivate func write(to line: inout JSONLine) {
        line.field("fd", orNull: number.map(UInt64.init))
        line.field("kind", kind)
        line.field("likely", isLikely)
        line.field("peer", orNull: peer)
        line.field("state", orNull: state)
    }
}

/// A call of a stack.
package struct ReportedCall {
    private let function: String
    private let site: String?

    package init(function: String, site: String?) {
        (self.function, self.site) = (function, site)
    }

    fileprivate func write(to line: inout JSONLine) {
        line.field("function", function)
        line.field("where", orNull: site)
    }
}

extension JSONLine {
    package mutating func calls(_ key: StaticString, _ calls: [ReportedCall]) {
        array(key) { line in
            for call in calls { line.object { call.write(to: &$0) } }
        }
    }

    /// Writes null for no task.
    package mutating func field(_ key: StaticString, orNull task: TaskID) {
        field(key, orNull: task == .none ? nil : task.rawValue)
    }
}

extension Label {
    /// The call site; nil if it is unknown.
    package var knownSite: String? { site.nilIfEmpty }
}

extension String {
    package var nilIfEmpty: String? { isEmpty ? nil : self }
}
