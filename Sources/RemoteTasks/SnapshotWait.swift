import TaskEvents
import TraceAnalysis

/// The reason why a task of a snapshot does not run, in the terms of traces.
package struct SnapshotWait: Sendable {
    package let kind: WaitsFor.Kind
    /// The awaited task, or the task that holds the executor, if it is in the snapshot.
    package let task: RemoteTask?
    /// The name of the executor in whose queue the task waits.
    package let executor: String?
    /// The task's place in the actor's queue. The next job has place 1.
    package let position: Int?
    /// The place in the program where the task waits.
    package let call: CodeSymbol?
    /// What holds the continuation that the task waits for, or its job if an executor of the program has to run it. Nil if it waits for
    /// something else, and if nobody asked. Nil also for a job of which nothing is known.
    package let holder: ContinuationHolder?
    /// The descriptor that the task waits for. Nil if it waits for something else, and if that is not known.
    package let descriptor: WaitedDescriptor?

    /// Nil for a task that waits for nothing.
    package init?(of task: RemoteTask, in snapshot: Snapshot, _ symbols: SnapshotSymbols) {
        if task.state == .running {
            guard let descriptor = snapshot.thread(running: task.address)?.descriptor else { return nil }
            (kind, self.task, executor, position, holder) = (.thread, nil, nil, nil, nil)
            (self.descriptor, call) = (descriptor, symbols.call(of: task))
            return
        }
        guard let wait = task.wait, task.state != .changing else { return nil }
        call = symbols.call(of: task)
        let sleeps = symbols.isSleeping(task)
        let found = sleeps ? nil : snapshot.holders[task.address]
        holder = found?.subject == .job && found?.proof == .unknown ? nil : found
        // Words that refer to a task which sleeps are no continuation that a descriptor's owner could resume.
        descriptor = sleeps || found?.subject == .job ? nil : snapshot.descriptors[task.address]
        switch wait {
        case .task(let address):
            (kind, self.task, executor, position) = (.task, snapshot.task(at: address), nil, nil)
        case .group:
            (kind, self.task, executor, position) = (.group, nil, nil, nil)
        case .continuation:
            (kind, self.task, executor, position) = (sleeps ? .timer : .continuation, nil, nil, nil)
        case .executor(let identity, _):
            let actor = snapshot.actor(at: identity)
            kind = .executor
            self.task = actor?.running.flatMap { snapshot.task(at: $0) }
            executor = snapshot.executorName(identity)
            position = snapshot.order.position(of: task.address, inQueueOf: identity)
        }
    }
}

extension SnapshotSymbols {
    /// Whether a task waits in `Task.sleep`.
    func isSleeping(_ task: RemoteTask) -> Bool {
        task.wait == .continuation && calls(at: task.frames).contains { $0.isMachinery && $0.function.contains(".sleep(") }
    }
}

extension Snapshot {
    /// The name of an executor: the actor's type, `main`, `global`, or the type of another executor.
    package func executorName(_ identity: UInt64) -> String {
        if identity == 0 { return "global" }
        if let actor = actor(at: identity) { return actor.type }
        let name = executors[identity] ?? ""
        if name.hasSuffix("MainExecutor") { return "main" }
        return name.isEmpty ? "executor 0x\(String(identity, radix: 16))" : name
    }

    /// The executor that a task is on or waits for, nil if the snapshot does not show it.
    package func executor(of task: RemoteTask) -> String? {
        if case .executor(let identity, _) = task.wait { return executorName(identity) }
        guard task.state == .running, let actor = thread(running: task.address)?.actor else { return nil }
        return executorName(actor)
    }
}
