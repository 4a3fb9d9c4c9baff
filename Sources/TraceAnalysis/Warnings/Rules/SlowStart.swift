import TaskEvents
import TraceStore

/// A task created on main, to run on main, had to wait for its first turn: its code does not begin at once.
struct SlowStart: WarningRule {
    let id = "slow-start"
    let severity = WarningSeverity.note
    let summary = "a task made on main, to begin there at once, had to wait"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.created, .slices, .queues, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        SlowStartDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let verb = finding.evidence.contains { $0.kind == .started } ? "began" : "has not begun"
        let time = words.duration(finding.measure)
        return words.sentence("\(words.name(of: finding)) was made on \(words.name(finding.executor)) and \(verb) there \(time) later.")
    }
}

private final class SlowStartDetector: WarningDetector {
    private let rule: SlowStart
    private let threshold: UInt64
    /// Tasks created on main that have not begun, with the time of creation.
    @exclusivity(unchecked) private var made = TaskMap<UInt64>()
    /// By thread, the task whose body runs on main without a queue, as the beginning of an asynchronous `main` does.
    @exclusivity(unchecked) private var inline = NumberedValues<TaskID>()

    init(rule: SlowStart, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.created, .started, .suspended, .completed, .faulted, .cancelled] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { kind != .created || TaskKind.isUnstructured(detail) }

    override func missEvents() {
        made = TaskMap()
        inline = NumberedValues()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .created:
            if TaskKind.isUnstructured(event.detail), isOnMain(lane, scene) { made[event.task] = event.time }
        case .started:
            if let since = made.remove(event.task) { begin(event, madeAt: since, scene) }
            if event.detail == StartManner.inline.rawValue, scene.kind(of: event.executor) == .main { inline[lane] = event.task }
        case _:
            if inline[lane] == event.task { inline[lane] = nil }
        }
    }

    private func isOnMain(_ lane: Int, _ scene: WarningScene) -> Bool {
        if inline[lane] != nil { return true }
        return scene.jobs.job(on: lane).map { scene.kind(of: $0.executor) == .main } ?? false
    }

    private func begin(_ event: TaskEvent, madeAt since: UInt64, _ scene: WarningScene) {
        guard event.detail == StartManner.slice.rawValue, scene.kind(of: event.executor) == .main, event.time > since,
            event.time - since > threshold, let task = scene.store.task(event.task)
        else { return }
        let evidence = [Evidence(.created, of: task.id, label: task.labelID, at: since), Evidence(event)]
        scene.report(Finding(rule, task, executor: event.executor, at: since, measure: event.time - since, evidence: evidence))
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        made.sorted().compactMap { id, since in
            let time = scene.elapsed(since: since)
            guard time > threshold, let task = scene.store.task(id), let queued = scene.jobs.queuedJob(of: id),
                scene.kind(of: queued.executor) == .main
            else { return nil }
            let evidence = [Evidence(.created, of: id, label: task.labelID, at: since)]
            return Finding(rule, task, executor: queued.executor, at: since, measure: time, evidence: evidence)
        }
    }
}
