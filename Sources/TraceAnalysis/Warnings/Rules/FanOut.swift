import TaskEvents
import TraceStore

/// So many continuations of one task that they begin all at once when it ends: a burst that nothing bounds. Of Swift's tasks: so many
/// children of one task's groups at a time.
struct FanOut: WarningRule {
    let id = "fan-out"
    let severity = WarningSeverity.note
    let summary = "a great many tasks continue from one"
    let threshold: WarningThreshold? = .count(100)

    func watch(_ settings: WarningSettings) -> any WarningWatch {
        Watch(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        if let child = finding.evidence.last, words.store.task(child.task)?.kind == .groupChild {
            return words.sentence("\(words.name(of: finding)) has more than \(CountText.text(finding.measure - 1)) children at a time.")
        }
        return words.sentence("\(words.name(of: finding)) is continued by more than \(CountText.text(finding.measure - 1)) tasks.")
    }
}

private final class Watch: WarningWatch {
    private let rule: FanOut
    private let threshold: Int
    /// Tasks that something continues, which something else continued already.
    private var forks: Set<TaskID> = []
    private var reported: Set<TaskID> = []
    /// Of the children of groups that have not ended, the task that made them; and how many each such task has.
    private var parents: [TaskID: TaskID] = [:]
    private var children: [TaskID: Int] = [:]

    init(rule: FanOut, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    var kinds: Set<EventKind> { [.created, .completed, .faulted, .cancelled] }

    func missEvents() {
        parents = [:]
        children = [:]
    }

    func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .created where event.detail == TaskKind.groupChild.rawValue: addChild(event, scene)
        case .created: noteFork(event, scene)
        case _: if !parents.isEmpty { endChild(event.task) }
        }
    }

    private func addChild(_ event: TaskEvent, _ scene: WarningScene) {
        let parent = event.otherTask
        parents[event.task] = parent
        let count = children[parent, default: 0] + 1
        children[parent] = count
        guard count > threshold, !reported.contains(parent), let task = scene.store.task(parent) else { return }
        reported.insert(parent)
        let first = parents.lazy.filter { $0.value == parent }.map(\.key).sorted().prefix(Finding.evidenceLimit - 1)
        let proof = [task.createdEvidence] + first.compactMap { scene.store.task($0)?.createdEvidence }
        scene.report(Finding(rule, task, at: event.time, measure: UInt64(count), evidence: proof))
    }

    private func endChild(_ child: TaskID) {
        guard let parent = parents.removeValue(forKey: child), let count = children[parent] else { return }
        children[parent] = count > 1 ? count - 1 : nil
    }

    private func noteFork(_ event: TaskEvent, _ scene: WarningScene) {
        guard event.detail == TaskKind.continuation.rawValue, let antecedent = scene.store.task(event.otherTask) else { return }
        if threshold > 0 {
            var successors = antecedent.successors
            guard successors.next() != event.task else { return }
        }
        forks.insert(antecedent.id)
    }

    func settle(_ scene: WarningScene) {
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
            let first = task.successors.lazy.compactMap { scene.store.task($0) }.prefix(Finding.evidenceLimit - 1).map(\.createdEvidence)
            scene.report(
                Finding(
                    rule, task, at: successor.created ?? 0, measure: UInt64(continuations), evidence: [task.createdEvidence] + first))
            return
        }
    }
}
