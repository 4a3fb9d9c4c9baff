import TaskEvents
import TraceStore

/// Looks for errors with one bad verdict. It checks a path once nothing can be added to it: when the failed tasks have been released, or
/// when the trace is over. It reports nothing for a path that may be incomplete in the trace. The place of a finding is the error's first
/// throw.
final class FaultDetector: WarningDetector {
    private let rule: any WarningRule
    private let verdict: Verdict
    private var released = DueTasks()
    /// Tasks that have not ended or have not been released, each with the origins of its errors.
    private var origins: [TaskID: [TaskID]] = [:]
    private var reported: Set<TaskID> = []
    /// Above this number, evicted tasks are forgotten. They are not examined again.
    private var reportedLimit = 65_536

    init(_ rule: some WarningRule, _ verdict: Verdict) {
        self.rule = rule
        self.verdict = verdict
    }

    override var kinds: Set<EventKind> { [.released] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { detail != ReleaseManner.taken.rawValue }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        released.append(event.task, since: event.time)
    }

    override func settleAhead(_ scene: WarningScene) { settle(scene) }

    override func settle(_ scene: WarningScene) {
        for (id, _) in released.take(scene) {
            for origin in origins.removeValue(forKey: id) ?? [] { examine(origin, scene) }
            if let task = scene.store.task(id), scene.faults.isOrigin(task) { examine(id, scene) }
        }
        guard reported.count > reportedLimit else { return }
        reported = reported.filter { scene.store.task($0) != nil }
        reportedLimit = max(65_536, 2 * reported.count)
    }

    private func examine(_ origin: TaskID, _ scene: WarningScene) {
        guard !reported.contains(origin), let path = path(from: origin, scene) else { return }
        if let open = path.steps.last(where: { !isSettled($0, scene) || released.contains($0.task) }) {
            origins[open.task, default: []].append(origin)
        } else if path.verdict == verdict, let finding = finding(path, scene) {
            reported.insert(origin)
            scene.report(finding)
        }
    }

    private func isSettled(_ step: FaultStep, _ scene: WarningScene) -> Bool {
        guard let task = scene.store.task(step.task), task.state.hasEnded else { return false }
        return task.state != .faulted || task.isReleased
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        guard scene.isOver else { return [] }
        return scene.faults.origins().filter { !reported.contains($0) }.compactMap { origin in
            guard let path = path(from: origin, scene), path.verdict == verdict else { return nil }
            return finding(path, scene)
        }
    }

    /// Nil if the trace may lack a part of the path: a task with missing events, an evicted task that took the error, or an evicted origin.
    private func path(from origin: TaskID, _ scene: WarningScene) -> FaultPath? {
        guard let path = scene.path(from: origin), path.verdict != .unknown, !scene.faults.isCutOff(path) else { return nil }
        // The end of the program cut off a task that had yet to take the error.
        if scene.isOver, path.steps.contains(where: { $0.role == nil }) { return nil }
        let isWhole = path.steps.allSatisfy { scene.store.task($0.task).map(scene.isWhole) ?? false }
        return isWhole ? path : nil
    }

    private func finding(_ path: FaultPath, _ scene: WarningScene) -> Finding? {
        guard let origin = scene.store.task(path.origin), let end = origin.endEvidence else { return nil }
        let steps = path.steps.dropFirst().filter { !$0.isAgain }.compactMap { step -> Evidence? in
            guard let task = scene.store.task(step.task) else { return nil }
            return step.role == .swallowed && task.state != .faulted && task.started != nil ? task.startedEvidence : task.endEvidence
        }
        let body = steps.first { $0.kind == .started }
        let dropped = path.steps.last.flatMap { scene.store.task($0.task) }.flatMap(\.dropEvidence).map { [$0] } ?? []
        return Finding(
            rule, origin, at: origin.ended ?? 0, measure: UInt64(steps.count), evidence: [end] + steps + dropped, harm: body ?? end,
            site: scene.store.entries.callsOfFirstThrow(of: path.error))
    }
}
