import TaskEvents
import TraceStore

/// A task's continuations all begin at once when it ends, and their number exceeds the threshold. For Swift tasks: a task's groups had too
/// many children at once, and one of them waited long for its first turn. A burst that the pool runs without a wait is harmless.
struct FanOut: WarningRule {
    let id = "fan-out"
    let severity = WarningSeverity.note
    let summary = "a great many tasks continue from one, or were its children while one waited long for its first turn"
    /// The number of tasks at once.
    let threshold: WarningThreshold? = .count(100)
    let needs: TraceRoutes = [.created, .slices, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        FanOutDetector(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let count = CountText.text(finding.measure - 1)
        guard let wait = finding.numbers.first, let late = finding.evidence.last else {
            return words.sentence("\(words.name(of: finding)) is continued by more than \(count) tasks.")
        }
        return words.sentence(
            "\(words.name(of: finding)) had more than \(count) children at a time, and \(words.name(late.task)) waited "
                + "\(words.duration(wait)) for its first turn.")
    }
}

private final class FanOutDetector: WarningDetector {
    /// A first turn that takes longer than this is late.
    private static let patience: UInt64 = 100_000_000

    private let rule: FanOut
    private let threshold: Int
    private var reported: Set<TaskID> = []
    /// Tasks that got a second or further continuation since the last count.
    private var forks: Set<TaskID> = []
    /// Unfinished children of groups, each with the task that created it. For each creating task, the current and the largest number of
    /// children.
    @exclusivity(unchecked) private var parents = TaskMap<TaskID>()
    private var children = TaskMap<(count: Int, most: Int)>()
    /// The number of tasks in `children` with too many.
    private var wide = 0

    init(rule: FanOut, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.created, .started, .completed, .faulted, .cancelled] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool {
        kind != .created || detail == TaskKind.groupChild.rawValue || detail == TaskKind.continuation.rawValue
    }

    override func missEvents() {
        parents = TaskMap()
        children = TaskMap()
        wide = 0
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .created where event.detail == TaskKind.groupChild.rawValue: addChild(event)
        case .created: noteFork(event, scene)
        case .started: begin(event, scene)
        case _: endChild(event.task)
        }
    }

    private func addChild(_ event: TaskEvent) {
        parents[event.task] = event.otherTask
        let known = children[event.otherTask] ?? (0, 0)
        children[event.otherTask] = (known.count + 1, max(known.most, known.count + 1))
        if known.most == threshold, known.count == threshold { wide += 1 }
    }

    private func endChild(_ child: TaskID) {
        guard let parent = parents.remove(child), let known = children[parent] else { return }
        children[parent] = known.count > 1 ? (known.count - 1, known.most) : nil
        if known.count == 1, known.most > threshold { wide -= 1 }
    }

    private func begin(_ event: TaskEvent, _ scene: WarningScene) {
        guard wide > 0, let parent = parents[event.task], let most = children[parent]?.most, most > threshold, !reported.contains(parent)
        else {
            return
        }
        beginChild(event, of: parent, most: most, scene)
    }

    private func beginChild(_ event: TaskEvent, of parent: TaskID, most: Int, _ scene: WarningScene) {
        guard let child = scene.store.task(event.task), let created = child.created, child.started == event.time, event.time > created,
            event.time - created > Self.patience, let task = scene.store.task(parent)
        else { return }
        reported.insert(parent)
        scene.report(
            Finding(
                rule, task, executor: event.executor, at: event.time, measure: UInt64(most), numbers: [event.time - created],
                evidence: [task.createdEvidence, child.createdEvidence, Evidence(event)]))
    }

    private func noteFork(_ event: TaskEvent, _ scene: WarningScene) {
        guard event.detail == TaskKind.continuation.rawValue, let antecedent = scene.store.task(event.otherTask) else { return }
        if threshold > 0 {
            var successors = antecedent.successors
            guard successors.next() != event.task else { return }
        }
        forks.insert(antecedent.id)
    }

    override func settleAhead(_ scene: WarningScene) { settle(scene) }

    override func settle(_ scene: WarningScene) {
        guard !forks.isEmpty else { return }
        for id in forks.sorted() where !reported.contains(id) {
            if let task = scene.store.task(id) { look(at: task, scene) }
        }
        forks.removeAll(keepingCapacity: true)
    }

    private func look(at task: TaskView, _ scene: WarningScene) {
        var continuations = 0
        for id in task.successors {
            guard let successor = scene.store.task(id), successor.continuedTask == task.id else { continue }
            continuations += 1
            guard continuations > threshold else { continue }
            reported.insert(task.id)
            // Two statements, because Swift 6.2 finds the joined chain ambiguous.
            let successors = task.successors.lazy.compactMap { scene.store.task($0) }.prefix(Finding.evidenceLimit - 2)
            let first = successors.map(\.createdEvidence)
            let end = task.endEvidence.map { [$0] } ?? []
            scene.report(
                Finding(
                    rule, task, at: successor.created ?? 0, measure: UInt64(continuations), evidence: [task.createdEvidence] + first + end))
            return
        }
    }
}
