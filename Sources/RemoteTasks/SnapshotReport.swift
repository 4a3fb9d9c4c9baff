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
        line.list("tasks", snapshot.tasks, to: &output) { row(of: $1).write(to: &$0) }
        line.list("actors", snapshot.actors, to: &output) { write($1, to: &$0) }
        line.list("findings", findings, to: &output) { $1.write(to: &$0) }
        line.list("threads", snapshot.threads, to: &output) { write($1, to: &$0) }
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }

    /// The rule of a task that nothing can let go on: nothing holds its continuation, the other end of its stream, or its job.
    package static let lostRule = "lost-continuation"

    /// The tasks that nothing can resume, and those that wait for a socket which does not answer.
    package var findings: [ReportedFinding] {
        snapshot.tasks.compactMap { task in
            guard let wait = SnapshotWait(of: task, in: snapshot, symbols), let (rule, cause) = Self.cause(wait) else { return nil }
            let name = symbols.name(of: task).nilIfEmpty ?? "task #\(task.id)"
            let site = wait.call?.site.nilIfEmpty
            return ReportedFinding(
                rule, .error, "\(PrintableText.text(name)) waits\(site.map { " at " + $0 } ?? "") \(cause).",
                task: TaskID(rawValue: task.id), site: site)
        }
    }

    private static func cause(_ wait: SnapshotWait) -> (rule: String, words: String)? {
        // A library drops the other end of a stream in order to wait for a cancellation.
        let isMeant = wait.holder?.subject == .stream && wait.call?.isOfDependency == true
        if let holder = wait.holder, holder.proof == .lost, !isMeant { return (lostRule, holder.subject.lostWords) }
        guard let descriptor = wait.descriptor, StuckDescriptor.contains(descriptor) else { return nil }
        return (StuckDescriptor.rule, PrintableText.text(descriptor.words))
    }

    /// The task as a report would have it. A snapshot shows no times.
    package func row(of task: RemoteTask) -> ReportedTask {
        var label = symbols.label(of: task)
        if label.name.isEmpty { label.name = "task \(task.id)" }
        var row = ReportedTask(
            id: TaskID(rawValue: task.id), kind: task.kind.words, label: label, state: task.state.displayed,
            chain: TaskID(rawValue: snapshot.root(of: task).id))
        row.antecedents = snapshot.task(at: task.parent).map { [TaskID(rawValue: $0.id)] } ?? []
        row.executor = snapshot.executor(of: task)
        row.isOpen = snapshot.isCore
        row.stack = calls(at: symbols.stack(of: task))
        row.wait = SnapshotWait(of: task, in: snapshot, symbols).map { wait in
            ReportedWait(
                kind: wait.kind, task: TaskID(rawValue: wait.task?.id ?? 0), executor: wait.executor,
                position: wait.position.map(UInt64.init), site: wait.call?.site.nilIfEmpty,
                holder: wait.holder.map { holder in
                    ReportedHolder(proof: holder.proof.rawValue, path: holder.path.map { ($0.type, $0.field) })
                },
                descriptor: wait.descriptor.map { descriptor in
                    ReportedDescriptor(
                        number: descriptor.number, kind: descriptor.kind.rawValue, peer: descriptor.peer.map { PrintableText.text($0) },
                        state: descriptor.state?.rawValue, isLikely: descriptor.isLikely)
                })
        }
        return row
    }

    private func calls(at addresses: [UInt64]) -> [ReportedCall] {
        symbols.calls(at: addresses).map { ReportedCall(function: $0.function, site: $0.site.nilIfEmpty) }
    }

    private func write(_ actor: RemoteActor, to line: inout JSONLine) {
        line.field("id", "0x" + String(actor.address, radix: 16))
        line.field("name", actor.type)
        line.array("queue") { line in
            for job in actor.queue {
                if let task = snapshot.task(at: job) { line.number(task.id) }
            }
        }
        line.field("running", orNull: actor.running.flatMap { snapshot.task(at: $0) }?.id)
        line.field("state", actor.state.rawValue)
    }

    private func write(_ thread: RemoteThread, to line: inout JSONLine) {
        line.field("blocked_in", orNull: symbols.blockingCall(of: thread)?.function)
        line.field("name", thread.name)
        line.calls("stack", calls(at: thread.code))
        line.field("task", orNull: thread.task.flatMap { snapshot.task(at: $0) }?.id)
        line.field("tid", Int(thread.id))
        line.object("waits_for", orNull: thread.queueWait) { line, wait in
            line.field("queue", wait.queue)
            line.field("thread", orNull: wait.holder.map(UInt64.init))
        }
    }
}

extension RemoteTask.State {
    /// The state in the terms of traces. A task that changed while it was read could be in any.
    fileprivate var displayed: DisplayedState {
        switch self {
        case .running: .running
        case .queued: .queued
        case .suspended: .suspended
        case .pending: .pending
        case .changing: .unknown
        }
    }
}

extension RemoteTask.Kind {
    /// The kind in the terms of traces. A snapshot cannot distinguish a detached task from another task without a parent.
    package var words: TaskKind {
        switch self {
        case .unstructured: .unstructured
        case .asyncLet: .asyncLet
        case .groupChild: .groupChild
        }
    }
}
