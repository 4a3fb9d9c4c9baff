import TaskEvents
import TraceAnalysis
import TraceStore

/// The rows of a trace: each task, hop, fault, cancellation and span as every output states it.
///
/// A fact that the trace does not show is resolved here, and only here: an encoder writes the fields of a row and does not ask the store.
/// The store must not change while rows are made. Both belong to one thread.
package struct ReportRows {
    let store: TraceStore
    private let faultAnalysis: FaultAnalysis
    private let hopAnalysis: HopAnalysis
    private let queues: QueuePositions
    private let steps: TaskSteps?

    /// - Parameter steps: the steps of all tasks, if the trace has a profile of its threads.
    package init(_ store: TraceStore, steps: TaskSteps? = nil) {
        self.store = store
        self.steps = steps
        faultAnalysis = FaultAnalysis(store, readers: ErrorReaders(store))
        hopAnalysis = HopAnalysis(store)
        queues = QueuePositions(store)
    }

    // MARK: Tasks

    package func task(_ task: TaskView) -> ReportedTask {
        var row = ReportedTask(id: task.id, kind: task.kind, label: task.label, state: ReportedTask.state(of: task), chain: task.chain)
        row.antecedents = Array(task.antecedents)
        row.executor = store.name(of: task.executor)
        (row.created, row.queued, row.started, row.ended) = (task.created, task.queued, task.started, task.ended)
        (row.busy, row.queuedTime, row.suspendedTime) = (task.busy, task.queuedTime, task.suspendedTime)
        row.hops = UInt64(task.hopCount)
        row.time = TimeParts(task, in: store, steps)
        row.isOpen = store.isOver && !task.state.hasEnded && !store.isFinishedMain(task.id)
        row.isSkipped = task.isSkipped
        (row.isSynthesised, row.isAdopted) = (task.isSynthesised, task.isAdopted)
        row.error = task.state == .faulted ? ReportedError(task.error, in: store) : nil
        row.role = faultAnalysis.role(of: task)
        // The event that ended the wait may be among the lost records.
        if row.state != .unknown { row.wait = WaitsFor(task, in: store).map { wait($0, of: task.id) } }
        return row
    }

    private func wait(_ wait: WaitsFor, of task: TaskID) -> ReportedWait {
        let isQueued = wait.kind == .executor
        return ReportedWait(
            kind: wait.kind, task: isQueued ? queues.holder(of: wait.executor) : wait.task, executor: store.name(of: wait.executor),
            position: isQueued ? queues.position(of: task, on: wait.executor).map(UInt64.init) : nil, site: wait.site(in: store),
            cause: isQueued ? cause(queues.holder(of: wait.executor)) : nil)
    }

    /// The job that holds an executor.
    private func cause(_ holder: TaskID) -> ReportedWait.Cause? {
        holder == .none ? nil : ReportedWait.Cause(task: holder, site: site(of: holder))
    }

    /// The call site of a task. Nil if it is unknown.
    package func site(of task: TaskID) -> String? {
        store.task(task)?.label.knownSite
    }

    // MARK: Blocks

    /// The number of blocks ever made, and the kept ones by place, the busiest place first.
    package var blockCount: Int { store.blockCount }
    package var blockPlaces: [ReportedBlocks] {
        BlockPlaces(store).rows.map { row in
            ReportedBlocks(
                place: row.place.nilIfEmpty, operation: row.operation, executor: store.name(of: row.executor), count: row.count,
                busy: row.busy, longest: row.longest, waitP99: row.waitP99)
        }
    }

    // MARK: Hops and faults

    /// All hops that the store keeps, sorted by time, then by task.
    package var hops: some Sequence<ReportedHop> { hopAnalysis.hops().lazy.map { hop($0.hop, $0.hopClass) } }

    private func hop(_ hop: Hop, _ hopClass: HopClass) -> ReportedHop {
        ReportedHop(
            task: hop.task, from: store.name(of: hop.from), to: store.description(of: hop.to).name, hopClass: hopClass, at: hop.at,
            wait: hop.wait)
    }

    /// The faults in the order of their origins' ends. Each is made when the iteration reaches it.
    package var faults: some Sequence<ReportedFault> {
        faultAnalysis.faults().lazy.map { fault in
            ReportedFault(
                origin: fault.origin, error: ReportedError(fault.error, in: store),
                path: fault.steps.map { ReportedFault.Step(task: $0.task, role: $0.role, site: $0.site(in: store).nilIfEmpty) },
                verdict: fault.verdict, at: store.task(fault.origin)?.ended)
        }
    }

    /// The cancellations in the order of their times.
    package var cancellations: some Sequence<ReportedCancellation> {
        CancellationAnalysis(store).paths().lazy.map { ReportedCancellation($0, in: store) }
    }

    // MARK: Spans

    package func span(_ task: TaskView) -> ReportedSpan {
        let row = self.task(task)
        let end = task.ended ?? max(store.now, task.started ?? 0)
        let isEmpty = task.started == nil && task.state.hasEnded && (task.executor != .none || task.isSkipped)
        let start = isEmpty ? end : min(task.started ?? task.created ?? task.queued ?? end, end)
        var links: [ReportedSpan.Link] = []
        func link(_ id: TaskID, _ role: String) {
            if let other = store.task(id) { links.append(ReportedSpan.Link(task: id, chain: other.chain, role: role)) }
        }
        for (antecedent, isInner) in task.links() where task.kind == .join || isInner { link(antecedent, isInner ? "inner" : "input") }
        for awaited in task.awaited { link(awaited, "awaited") }
        for resumer in task.resumingBlocks { link(resumer, "resumed") }
        return ReportedSpan(
            task: row, trace: row.chain, parent: task.continued.flatMap { $0 != task.id && store.task($0)?.chain == row.chain ? $0 : nil },
            name: store.site(of: task.labelID), start: start, end: end, links: links,
            hops: zip(task.hops, hopAnalysis.hopClasses(of: task)).map { hop($0, $1) })
    }
}

extension TraceStore {
    /// The place that created a task with this label: its call site, or its name where the site is unknown.
    package func site(of label: EntryID) -> String {
        guard let label = entries.label(ofTask: label) else { return "unknown" }
        return PrintableText.text(label.place)
    }

    /// The name of an executor. Nil for none.
    package func name(of executor: ExecutorID) -> String? {
        executor == .none ? nil : description(of: executor).name
    }
}
