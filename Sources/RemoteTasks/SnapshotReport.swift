import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport

/// A snapshot together with its symbols, ready to print.
package struct SnapshotReport: Sendable {
    /// The ways to see a process's tasks. `ps --json` spells the raw values.
    package enum Route: String, Sendable {
        /// The process publishes a trace.
        case publishes
        case probe
        case snapshot
        case core
    }

    package let snapshot: Snapshot
    package let symbols: SnapshotSymbols
    package let program: String
    package let route: Route

    package init(_ snapshot: Snapshot, program: String, route: Route, symbols: SnapshotSymbols? = nil) {
        self.snapshot = snapshot
        self.symbols = symbols ?? SnapshotSymbols(of: snapshot)
        self.program = program
        self.route = route
    }

    /// Writes the keys of `ps --json`. A task has the same keys as in a report, and a stack. A fact that no snapshot shows is null.
    package func writeJSON(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.begin("{")
        line.field("pid", Int(snapshot.pid))
        line.field("program", program)
        line.field("how", route.rawValue)
        line.list("tasks", snapshot.tasks.lazy.map { TaskFields(task: $0, report: self) }, to: &output)
        line.list("actors", snapshot.actors.lazy.map { ActorFields(actor: $0, report: self) }, to: &output)
        line.list("threads", snapshot.threads.lazy.map { ThreadFields(thread: $0, report: self) }, to: &output)
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }

    /// The outermost ancestor of a task; the task itself if it is no child.
    private func root(of task: RemoteTask) -> RemoteTask {
        var root = task
        var depth = 0
        while root.parent != 0, let parent = snapshot.task(at: root.parent), depth < snapshot.tasks.count {
            root = parent
            depth += 1
        }
        return root
    }

    private struct TaskFields: JSONFields {
        let task: RemoteTask
        let report: SnapshotReport

        func writeFields(to line: inout JSONLine) {
            let (snapshot, symbols) = (report.snapshot, report.symbols)
            line.array("antecedents") { line in
                if let parent = snapshot.task(at: task.parent) { line.number(parent.id) }
            }
            line.null("busy_ns")
            line.field("chain", report.root(of: task).id)
            for key: StaticString in ["created_ns", "ended_ns", "error"] { line.null(key) }
            line.field("executor", orNull: snapshot.executor(of: task))
            line.null("hops")
            line.field("id", task.id)
            line.field("kind", task.kind.words.name)
            line.field("name", symbols.name(of: task))
            line.field("open", snapshot.isCore)
            for key: StaticString in ["queued_ns", "role", "site"] { line.null(key) }
            line.array("stack") { line in
                for call in symbols.calls(at: symbols.stack(of: task)) { line.call(call) }
            }
            line.null("started_ns")
            line.field("state", task.state == .changing ? "unknown" : task.state.rawValue)
            line.field("waits_for", orNull: SnapshotWait(of: task, in: snapshot, symbols).map { WaitFields(wait: $0) })
            line.null("where")
        }
    }

    private struct WaitFields: JSONFields {
        let wait: SnapshotWait

        func writeFields(to line: inout JSONLine) {
            line.field("executor", orNull: wait.executor)
            line.field("kind", wait.kind.rawValue)
            line.field("position", orNull: wait.position.map(UInt64.init))
            line.field("task", orNull: wait.task?.id)
            line.field("where", orNull: wait.place?.site.nilIfEmpty)
        }
    }

    private struct ActorFields: JSONFields {
        let actor: RemoteActor
        let report: SnapshotReport

        func writeFields(to line: inout JSONLine) {
            line.field("id", "0x" + String(actor.address, radix: 16))
            line.field("name", actor.type)
            line.array("queue") { line in
                for job in actor.queue {
                    if let task = report.snapshot.task(at: job) { line.number(task.id) }
                }
            }
            line.field("running", orNull: actor.running.flatMap { report.snapshot.task(at: $0) }?.id)
            line.field("state", actor.state.rawValue)
        }
    }

    private struct ThreadFields: JSONFields {
        let thread: RemoteThread
        let report: SnapshotReport

        func writeFields(to line: inout JSONLine) {
            line.field("blocked_in", orNull: report.symbols.blockingCall(of: thread)?.function)
            line.field("name", thread.name)
            line.array("stack") { line in
                for call in report.symbols.calls(at: thread.stack + thread.frames) { line.call(call) }
            }
            line.field("task", orNull: thread.task.flatMap { report.snapshot.task(at: $0) }?.id)
            line.field("tid", Int(thread.id))
        }
    }
}

extension RemoteTask.Kind {
    /// The kind in the terms of traces. A snapshot cannot distinguish a detached task from another task without a parent.
    var words: TaskKind {
        switch self {
        case .unstructured: .unstructured
        case .asyncLet: .asyncLet
        case .groupChild: .groupChild
        }
    }
}

extension JSONLine {
    fileprivate mutating func call(_ call: CodeSymbol) {
        object { line in
            line.field("function", call.function)
            line.field("where", orNull: call.site.nilIfEmpty)
        }
    }
}

extension String {
    var nilIfEmpty: String? { isEmpty ? nil : self }
}
