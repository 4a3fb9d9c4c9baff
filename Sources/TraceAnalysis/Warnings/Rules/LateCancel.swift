import TaskEvents
import TraceStore
import TraceTransport

/// A cancelled task's work continued: its own job, or the job of the task that its body had returned and that no other task awaited. A
/// Swift task ran on after its cancellation was requested. Work in a cancellation shield is not late.
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
            let look = finding.numbers == [LookNumber.none] ? " without a look" : ""
            let place = finding.site == finding.label ? nil : words.callSite(finding.site)
            return "\(name) was cancelled, and ran on for \(time)\(look)\(place.map { ", longest after \($0)" } ?? "")."
        }
        guard let end = finding.evidence.last, end.kind != .jobEnded else {
            return "\(name) was cancelled, and its job ran on for \(time)."
        }
        return "\(name) was cancelled, and \(words.name(end.task)), which it had waited for, worked on for \(time)."
    }
}

/// Whether the task found that it is cancelled, as a number of a finding.
private enum LookNumber {
    /// The trace has no look, and would have one.
    static let none: UInt64 = 0
    static let seenOrUnknown: UInt64 = 1
}

/// A Swift task after a request to cancel it.
private struct CancelledRun {
    let at: UInt64
    /// Nanoseconds for which the task has run since.
    var ran: UInt64 = 0
    /// The calls that the task awaited before its present slice.
    var calls: EntryID
    /// The longest slice since the request, and the calls before it: the task should have looked after those.
    var longest: UInt64 = 0
    var longestCalls = EntryID.none
    /// The end of the latest slice. Nil in the first one.
    var proof: Evidence?
    /// The work before this time is counted, or was done in a shield.
    var countsFrom: UInt64
    var isShielded: Bool

    init(at: UInt64, calls: EntryID, isShielded: Bool) {
        (self.at, self.calls, countsFrom, self.isShielded) = (at, calls, at, isShielded)
    }

    /// The time of a slice that counts.
    func counted(of job: ThreadJobs.Job, until end: UInt64) -> UInt64 {
        let from = max(countsFrom, job.since)
        return isShielded || end < from ? 0 : end - from
    }

    mutating func addSlice(_ time: UInt64, until proof: Evidence) {
        ran = ran.plus(time)
        self.proof = proof
        guard time > longest else { return }
        (longest, longestCalls) = (time, calls)
    }
}

private final class LateCancelDetector: WarningDetector {
    private let rule: LateCancel
    private let threshold: UInt64
    /// Tasks cancelled while their jobs ran, with the time.
    @exclusivity(unchecked) private var running = TaskMap<UInt64>()
    /// By awaited task, the task that was cancelled while it waited, with the time.
    @exclusivity(unchecked) private var waiting = TaskMap<(task: TaskID, at: UInt64)>()
    /// Swift tasks with a request to cancel them.
    @exclusivity(unchecked) private var asked = TaskMap<CancelledRun>()
    /// Tasks in a cancellation shield.
    private var shielded: Set<TaskID> = []
    /// The late ones among them when events were missed: whether they ran on, the trace does not tell.
    @exclusivity(unchecked) private var missed: [(task: TaskID, run: CancelledRun)] = []

    init(rule: LateCancel, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.cancelled, .jobEnded, .completed, .faulted, .cancellationAsked, .suspended, .shielded] }

    override func missEvents() {
        running = TaskMap()
        waiting = TaskMap()
        missed += asked.sorted().filter { $0.1.ran > threshold }.map { (task: $0.0, run: $0.1) }
        asked = TaskMap()
        // A task that is in a shield at a request is found in it.
        shielded = []
    }

    override func settleAhead(_ scene: WarningScene) { reportMissed(scene) }
    override func settle(_ scene: WarningScene) { reportMissed(scene) }

    private func reportMissed(_ scene: WarningScene) {
        for (task, run) in missed { report(task, run, scene) }
        missed = []
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if !asked.isEmpty || !shielded.isEmpty, let job = scene.endedSlice { endSlice(job, event, scene) }
        switch event.kind {
        case .cancellationAsked where asked[event.task] == nil:
            guard let task = scene.store.task(event.task), !task.state.hasEnded || scene.jobs.job(of: event.task) != nil else { return }
            let calls = task.requestedCancellation?.lastCalls ?? .none
            asked[event.task] = CancelledRun(at: event.time, calls: calls, isShielded: shielded.contains(event.task))
        case .shielded: changeShield(event, scene)
        case .suspended:
            // A task that changes executors goes on with the same work.
            if !asked.isEmpty, event.label != .none, var run = asked[event.task] {
                run.calls = event.label
                asked[event.task] = run
            }
        case .cancelled: cancel(event, scene)
        case .jobEnded:
            guard let at = running.remove(event.task), event.time > at else { return }
            report(event.task, at: at, time: event.time - at, proof: Evidence(event), scene)
        case .completed, .faulted: endWork(event, scene)
        case _: break
        }
    }

    private func changeShield(_ event: TaskEvent, _ scene: WarningScene) {
        let ends = event.detail == ShieldManner.ended.rawValue
        guard ends == shielded.contains(event.task) else { return }
        if var run = asked[event.task] {
            if !ends, let job = scene.jobs.job(of: event.task) {
                run.addSlice(run.counted(of: job, until: event.time), until: Evidence(event))
            }
            run.isShielded = !ends
            run.countsFrom = event.time
            asked[event.task] = run
        }
        if ends { shielded.remove(event.task) } else { shielded.insert(event.task) }
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
        if !shielded.isEmpty, event.kind != .suspended { shielded.remove(event.task) }
        guard var run = asked[event.task] else { return }
        let time = run.counted(of: job, until: event.time)
        if time > 0 || run.proof == nil { run.addSlice(time, until: Evidence(event)) }
        guard event.kind != .suspended else {
            asked[event.task] = run
            return
        }
        asked[event.task] = nil
        report(event.task, run, scene)
    }

    private func report(_ task: TaskID, _ run: CancelledRun, _ scene: WarningScene) {
        if let finding = finding(task, run, scene) { scene.report(finding) }
    }

    /// Nil for a task that has not run for long since the request.
    private func finding(_ task: TaskID, _ run: CancelledRun, _ scene: WarningScene) -> Finding? {
        guard run.ran > threshold, let proof = run.proof, let task = scene.store.task(task) else { return nil }
        let showsLooks = scene.store.swiftRoutes.contains(.looks) && !task.isTouchedByLoss
        let look = showsLooks && task.requestedCancellation?.seen == nil ? LookNumber.none : LookNumber.seenOrUnknown
        let asked = Evidence(.cancellationAsked, of: task.id, at: run.at)
        return Finding(
            rule, task, at: run.at, measure: run.ran, numbers: [look], evidence: [asked, proof], harm: proof, site: run.longestCalls)
    }

    /// The findings of tasks that have not ended. They grow with the time for which the tasks run.
    override func standing(_ scene: WarningScene) -> [Finding] {
        asked.sorted().compactMap { id, run in
            var run = run
            if let job = scene.jobs.job(of: id) {
                let start = Evidence(.started, of: id, on: job.executor, at: job.since)
                run.addSlice(run.counted(of: job, until: scene.now), until: start)
            }
            return finding(id, run, scene)
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
