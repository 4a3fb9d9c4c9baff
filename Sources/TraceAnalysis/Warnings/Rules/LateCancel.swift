import TaskEvents
import TraceStore

/// A cancelled task's work continued: its own job, or the job of the task that its body had returned and that no other task awaited. A
/// Swift task ran on after its cancellation was requested.
struct LateCancel: WarningRule {
    let id = "late-cancel"
    let severity = WarningSeverity.note
    let summary = "work went on after its task had been cancelled"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.created, .cancellation, .slices, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        LateCancelDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let name = words.sentence(words.name(of: finding))
        let time = words.duration(finding.measure)
        if finding.evidence.first?.kind == .cancellationAsked {
            return "\(name) was cancelled, and ran on for \(time)."
        }
        guard let end = finding.evidence.last, end.kind != .jobEnded else {
            return "\(name) was cancelled, and its job ran on for \(time)."
        }
        return "\(name) was cancelled, and \(words.name(end.task)), which it had waited for, worked on for \(time)."
    }
}

private final class LateCancelDetector: WarningDetector {
    private let rule: LateCancel
    private let threshold: UInt64
    /// Tasks cancelled while their jobs ran, with the time.
    @exclusivity(unchecked) private var running = TaskMap<UInt64>()
    /// By awaited task, the task that was cancelled while it waited, with the time.
    @exclusivity(unchecked) private var waiting = TaskMap<(task: TaskID, at: UInt64)>()
    /// Swift tasks with a cancellation request: its time, and the nanoseconds for which the task has run since.
    @exclusivity(unchecked) private var asked = TaskMap<(at: UInt64, ran: UInt64)>()

    init(rule: LateCancel, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.cancelled, .jobEnded, .completed, .faulted, .cancellationAsked, .suspended] }

    override func missEvents() {
        running = TaskMap()
        waiting = TaskMap()
        asked = TaskMap()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if !asked.isEmpty, let job = scene.endedSlice { endSlice(job, event, scene) }
        switch event.kind {
        case .cancellationAsked where asked[event.task] == nil:
            if scene.store.task(event.task)?.state.hasEnded == false || scene.jobs.job(of: event.task) != nil {
                asked[event.task] = (event.time, 0)
            }
        case .cancelled: cancel(event, scene)
        case .jobEnded:
            guard let at = running.remove(event.task), event.time > at else { return }
            report(event.task, at: at, time: event.time - at, proof: Evidence(event), scene)
        case .completed, .faulted: endWork(event, scene)
        case _: break
        }
    }

    private func cancel(_ event: TaskEvent, _ scene: WarningScene) {
        _ = waiting.remove(event.task)
        guard event.detail != CancellationManner.thrown.rawValue, let task = scene.store.task(event.task), task.state == .cancelled
        else { return }
        if scene.jobs.job(of: event.task) != nil {
            running[event.task] = event.time
        } else if let inner = task.inner, event.detail != CancellationManner.forwarded.rawValue {
            waiting[inner] = (task.id, event.time)
        }
    }

    /// A slice has ended, and its task perhaps with it. The task may have a cancellation request.
    private func endSlice(_ job: ThreadJobs.Job, _ event: TaskEvent, _ scene: WarningScene) {
        guard var order = asked[event.task] else { return }
        let from = max(order.at, job.since)
        order.ran += event.time > from ? event.time - from : 0
        asked[event.task] = order
        guard order.ran > threshold, let task = scene.store.task(event.task) else { return endTask(event) }
        asked[event.task] = nil
        let proof = [Evidence(.cancellationAsked, of: task.id, at: order.at), Evidence(event)]
        scene.report(Finding(rule, task, at: order.at, measure: order.ran, evidence: proof, harm: proof[1]))
    }

    private func endTask(_ event: TaskEvent) {
        if event.kind != .suspended { asked[event.task] = nil }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        asked.sorted().compactMap { id, order in
            guard let job = scene.jobs.job(of: id), let task = scene.store.task(id) else { return nil }
            let ran = order.ran + scene.elapsed(since: max(order.at, job.since))
            guard ran > threshold else { return nil }
            let start = Evidence(.started, of: id, on: job.executor, at: job.since)
            let proof = [Evidence(.cancellationAsked, of: id, at: order.at), start]
            return Finding(rule, task, at: order.at, measure: ran, evidence: proof)
        }
    }

    /// A task that a cancelled task had waited for has ended by itself.
    private func endWork(_ event: TaskEvent, _ scene: WarningScene) {
        guard let waiter = waiting.remove(event.task), let task = scene.store.task(event.task),
            let started = task.started, isUseless(task, scene)
        else { return }
        let from = max(waiter.at, started)
        guard event.time > from else { return }
        report(waiter.task, at: waiter.at, time: event.time - from, proof: Evidence(event), scene)
    }

    /// Whether no other task took the task's outcome.
    private func isUseless(_ task: TaskView, _ scene: WarningScene) -> Bool {
        task.successors.allSatisfy { scene.store.task($0)?.state == .cancelled }
    }

    private func report(_ id: TaskID, at: UInt64, time: UInt64, proof: Evidence, _ scene: WarningScene) {
        guard time > threshold, let task = scene.store.task(id) else { return }
        scene.report(Finding(rule, task, at: at, measure: time, evidence: [Evidence(.cancelled, of: id, at: at), proof], harm: proof))
    }
}
