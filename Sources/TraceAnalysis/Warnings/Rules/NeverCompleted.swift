import TaskEvents
import TraceStore

/// A task that nothing can complete any more. It was released while pending, or the trace ended while nothing that could complete it was
/// running. For a Swift task: the checked continuation that it awaits was released without being resumed, or a `Continuation` of Swift 6.4
/// was, which ended the program.
struct NeverCompleted: WarningRule {
    let id = "never-completed"
    let severity = WarningSeverity.error
    let summary = "a task was never completed, and nothing is left that could complete it"
    /// The time for which a task must have been pending when the trace ends.
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.created, .continuations, .slices, .ends]
    let needsEnd = true

    func detector(_ settings: WarningSettings) -> WarningDetector {
        NeverCompletedDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let waiting = finding.evidence.count { $0.kind == .created } - 1
        let others = waiting > 0 ? " \(CountText.text(waiting, "task")) waited for it." : ""
        let name = words.sentence(words.name(of: finding))
        if let drop = finding.evidence.last, drop.kind == .released, drop.label != .none {
            let place = words.callSite(drop.label).map { " at \($0)" } ?? ""
            return "\(name) awaits a continuation that was dropped\(place) before it was resumed: that ended the program."
        }
        if finding.evidence.contains(where: { $0.kind == .suspended }) {
            return "\(name) awaits a continuation that was released before it was resumed: it waits forever."
        }
        if finding.evidence.contains(where: { $0.kind == .released }) {
            return "\(name) was never completed, and can no longer be: nothing refers to it.\(others)"
        }
        return "\(name) was not completed in \(words.duration(finding.measure)), and nothing was left that could complete it.\(others)"
    }
}

private final class NeverCompletedDetector: WarningDetector {
    private let rule: NeverCompleted
    private let threshold: UInt64
    private var released = DueTasks()
    private var reported: Set<TaskID> = []
    /// The ends of continuations that ended the program.
    private var drops: [TaskEvent] = []

    init(rule: NeverCompleted, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.released] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { detail != ReleaseManner.taken.rawValue }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if event.detail == ReleaseManner.continuation.rawValue {
            drops.append(event)
        } else {
            released.append(event.task, since: event.time)
        }
    }

    override func settleAhead(_ scene: WarningScene) { settle(scene) }

    override func settle(_ scene: WarningScene) {
        for finding in released.take(scene).compactMap({ finding(released: $0.task, at: $0.since, scene) })
        where reported.insert(finding.task).inserted {
            scene.report(finding)
        }
    }

    private func finding(released id: TaskID, at time: UInt64, _ scene: WarningScene) -> Finding? {
        guard let task = scene.store.task(id), scene.isWhole(task) else { return nil }
        if task.kind.isOfSwift { return finding(abandoned: task, at: time) }
        guard task.state == .pending, waitsForNothing(task, scene) else { return nil }
        let released = Evidence(.released, of: id, at: time)
        return Finding(rule, task, at: task.created ?? 0, evidence: proof(task, scene) + [released], harm: released)
    }

    /// A suspended Swift task is released only by the continuation that it awaits.
    private func finding(abandoned task: TaskView, at time: UInt64) -> Finding? {
        guard task.state == .suspended else { return nil }
        let suspended = Evidence(.suspended, of: task.id, at: task.suspendedSince)
        let released = Evidence(.released, of: task.id, at: time)
        return Finding(
            rule, task, at: task.suspendedSince ?? 0, evidence: [task.createdEvidence, suspended, released], site: task.awaitedCalls)
    }

    /// A task whose continuation was dropped, perhaps by its own code before it awaited that.
    private func finding(_ drop: TaskEvent, _ scene: WarningScene) -> Finding? {
        guard let task = scene.store.task(drop.task), !task.state.hasEnded else { return nil }
        let released = Evidence(drop)
        let suspended = task.state == .suspended ? [Evidence(.suspended, of: task.id, at: task.suspendedSince)] : []
        let site = task.state == .suspended && task.awaitedCalls != .none ? task.awaitedCalls : drop.label
        return Finding(
            rule, task, at: drop.time, evidence: [task.createdEvidence] + suspended + [released], harm: released, site: site)
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        // The end of the program may be written before the trace tells that it is over.
        let dropped = drops.compactMap { finding($0, scene) }
        return scene.isOver ? dropped + standingAtEnd(scene) : dropped
    }

    private func standingAtEnd(_ scene: WarningScene) -> [Finding] {
        var findings = released.rest.compactMap { finding(released: $0.task, at: $0.since, scene) }
        guard isAtRest(scene) else { return findings }
        let known = reported.union(findings.map(\.task))
        for row in scene.store.rows {
            let task = scene.store[row]
            guard task.state == .pending, task.kind == .source || task.kind == .root, task.executor == .none, !known.contains(task.id),
                scene.isWhole(task), let created = task.created, scene.elapsed(since: created) > threshold
            else { continue }
            findings.append(Finding(rule, task, at: created, measure: scene.elapsed(since: created), evidence: proof(task, scene)))
        }
        return findings
    }

    /// Among tasks that wait for one another, the rule names the one at the root.
    private func waitsForNothing(_ task: TaskView, _ scene: WarningScene) -> Bool {
        task.antecedents.allSatisfy { scene.store.task($0)?.state.hasEnded ?? true }
    }

    private func proof(_ task: TaskView, _ scene: WarningScene) -> [Evidence] {
        let waiting = task.successors.lazy.compactMap { scene.store.task($0) }.filter { !$0.state.hasEnded }.map(\.createdEvidence)
        return [task.createdEvidence] + waiting.prefix(Finding.evidenceLimit - 2)
    }

    /// Whether no job runs or waits for its turn, and no timer is set. Then nothing in the trace can complete a pending task.
    private func isAtRest(_ scene: WarningScene) -> Bool {
        let store = scene.store
        let waiters = Set(scene.jobs.waits.map(\.waiter))
        let canWork = store.executors.contains { executor in
            // A job that blocks on a task cannot complete another one.
            let isBlocked = scene.jobs.blockedSince(executor.id) != nil
            return !isBlocked && (executor.depth > 0 || !scene.jobs.jobs(on: executor.id).isEmpty)
        }
        guard !canWork else { return false }
        return store.rows.allSatisfy { row in
            let task = store[row]
            return switch task.state {
            case .running: waiters.contains(task.id)
            case .suspended: task.waitsFor != nil
            case .pending: task.kind != .delay
            case .queued, .succeeded, .faulted, .cancelled: true
            }
        }
    }
}
