import TaskEvents
import TraceStore

/// So many continuations of one task that they begin all at once when it ends: a burst that nothing bounds.
struct FanOut: WarningRule {
    let id = "fan-out"
    let severity = WarningSeverity.note
    let summary = "a great many tasks continue from one"
    let threshold: WarningThreshold? = .count(100)

    func watch(_ settings: WarningSettings) -> any WarningWatch {
        Watch(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        words.sentence("\(words.name(of: finding)) is continued by more than \(CountText.text(finding.measure - 1)) tasks.")
    }
}

private final class Watch: WarningWatch {
    private let rule: FanOut
    private let threshold: Int
    /// Tasks that something continues, which something else continued already.
    private var forks: Set<TaskID> = []
    private var reported: Set<TaskID> = []

    init(rule: FanOut, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    var kinds: Set<EventKind> { [.created] }

    func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
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
