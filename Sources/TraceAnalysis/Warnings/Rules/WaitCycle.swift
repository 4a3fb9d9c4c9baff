import TaskEvents
import TraceStore

/// Tasks wait for one another in a circle, so none of them can ever end. The smallest circle is a task that returns itself.
struct WaitCycle: WarningRule {
    let id = "wait-cycle"
    let severity = WarningSeverity.error
    let summary = "tasks wait for one another in a circle"
    /// The time for which a job must have waited for an executor whose threads all block. After it, the job counts as waiting for those
    /// threads.
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.created, .slices, .waits, .ends]
    let sees: TraceRoutes = .blocks

    func detector(_ settings: WarningSettings) -> WarningDetector {
        WaitCycleDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        // Each edge of the circle is one event of evidence. For a continuation, it is the creation.
        let clauses = finding.evidence.map { evidence -> String in
            switch evidence.kind {
            case .suspended: words.store.task(evidence.task)?.inner == nil ? "awaits" : "returned"
            case .waitBegan: "blocks on"
            case .enqueued where evidence.task.isBlock: "needs \(words.name(evidence.executor)), held by"
            case .enqueued: "needs a thread of \(words.name(evidence.executor)), blocked by"
            case _: "continues"
            }
        }
        let names = finding.evidence.map { words.name($0.kind == .waitBegan ? $0.other : $0.task) }
        let places = finding.evidence.map { place(of: $0, words) }
        guard names.count > 1 else { return "\(words.sentence(names[0])) waits for itself\(places[0]), and never ends." }
        var text = names[0]
        for index in names.indices.prefix(8) {
            let isLast = index + 1 == names.count
            text += " \(clauses[index]) \(isLast ? names[0] : names[index + 1])\(places[index])\(isLast ? "" : ", which")"
        }
        if names.count > 8 { text += " waits for \(CountText.text(names.count - 8)) more that lead back to \(names[0])" }
        return "\(words.sentence(text)): none of them can end."
    }

    /// ` at Handles.swift:12`, where a Swift task awaits the next one. Empty if it is not known.
    private func place(of evidence: Evidence, _ words: WarningWords) -> String {
        guard evidence.kind == .suspended, let task = words.store.task(evidence.task), let site = words.callSite(task.awaitedCalls)
        else { return "" }
        return " at \(site.split(separator: "/").last ?? "")"
    }
}

private final class WaitCycleDetector: WarningDetector {
    private let rule: WaitCycle
    private let threshold: UInt64
    private var suspended = DueTasks()
    /// Tasks whose pause is over, and which the store has suspended. They wait for the store and the jobs to be at the same moment.
    private var due: [TaskID] = []
    private var reported: Set<TaskID> = []

    init(rule: WaitCycle, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.suspended] }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if event.other != 0 { suspended.append(event.task, since: event.time) }
    }

    override func settleAhead(_ scene: WarningScene) {
        due += suspended.take(scene).lazy.map(\.task).filter { scene.store.task($0)?.state == .suspended }
    }

    override func settle(_ scene: WarningScene) {
        settleAhead(scene)
        defer { due.removeAll() }
        for finding in find(from: due, scene) {
            reported.insert(finding.task)
            scene.report(finding)
        }
    }

    /// A cycle through a thread's wait ends if the wait has a time limit. Such a finding holds only while the cycle does.
    override func standing(_ scene: WarningScene) -> [Finding] {
        let waits = scene.jobs.waits.filter { scene.isOver || scene.elapsed(since: $0.since) > DueTasks.patience }.map(\.task)
        return find(from: waits + (scene.isOver ? suspended.rest.map(\.task) : []), scene)
    }

    private func find(from starts: [TaskID], _ scene: WarningScene) -> [Finding] {
        guard !starts.isEmpty else { return [] }
        var graph = WaitGraph(scene.store, now: scene.now, patience: threshold)
        var found: Set<TaskID> = []
        return starts.compactMap { start in
            guard let cycle = graph.cycle(from: start), !reported.contains(cycle[0].from) else { return nil }
            guard found.insert(cycle[0].from).inserted else { return nil }
            return finding(cycle, scene)
        }
    }

    private func finding(_ cycle: [WaitGraph.Edge], _ scene: WarningScene) -> Finding? {
        guard let first = scene.store.task(cycle[0].from) else { return nil }
        let evidence = cycle.compactMap { proof($0, scene) }
        let at = evidence.compactMap(\.at).max() ?? 0
        return Finding(rule, first, at: at, measure: UInt64(cycle.count), evidence: evidence)
    }

    /// The event that made the task wait.
    private func proof(_ edge: WaitGraph.Edge, _ scene: WarningScene) -> Evidence? {
        guard let task = scene.store.task(edge.from) else { return nil }
        switch edge.reason {
        case .returned: return Evidence(.suspended, of: task.id, at: task.suspendedSince)
        case .blocks:
            let wait = scene.jobs.waits.first { $0.waiter == task.id }
            return Evidence(.waitBegan, of: edge.to, by: task.id, on: wait?.job?.executor ?? .none, at: wait?.since)
        case .queued(let executor): return Evidence(.enqueued, of: task.id, on: executor, at: task.queued)
        case .continues: return task.createdEvidence
        }
    }
}
