import TaskEvents
import TraceStore

/// A task that the settings assign to main ran elsewhere. No trace records which tasks belong on main, so the rule needs the setting.
struct OffMain: WarningRule {
    let id = "off-main"
    let severity = WarningSeverity.warning
    let summary = "a task that belongs on main, by the settings, ran elsewhere"
    let threshold: WarningThreshold? = nil
    let needs: TraceRoutes = [.created, .names, .slices, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        OffMainDetector(rule: self, names: settings.mainNames)
    }

    func missingSetting(_ settings: WarningSettings) -> String? {
        settings.mainNames.isEmpty ? "no names of tasks are given for main" : nil
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        words.sentence("\(words.name(of: finding)) belongs on main and ran on \(words.name(finding.executor)).")
    }
}

private final class OffMainDetector: WarningDetector {
    private let rule: OffMain
    private let names: [NamePattern]
    private var isMeant: [EntryID: Bool] = [:]

    init(rule: OffMain, names: [NamePattern]) {
        self.rule = rule
        self.names = names
    }

    override var kinds: Set<EventKind> { names.isEmpty ? [] : [.started] }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard let task = scene.store.task(event.task), belongsOnMain(task) else { return }
        // A Swift task is in the right place if it began there. An await can resume it elsewhere for a moment.
        guard event.detail != StartManner.slice.rawValue || task.started == event.time else { return }
        let isInline = event.detail == StartManner.inline.rawValue
        // A body that runs inline runs on the executor of its thread's job. On a thread without an executor, the executor is unknown.
        guard let executor = isInline ? scene.jobs.job(on: lane)?.executor : event.executor else { return }
        guard let kind = scene.kind(of: executor), kind != .main else { return }
        scene.report(Finding(rule, task, executor: executor, at: event.time, evidence: [Evidence(event)]))
    }

    private func belongsOnMain(_ task: TaskView) -> Bool {
        if let known = isMeant[task.labelID] { return known }
        let name = task.label.name
        let answer = names.contains { $0.matches(name) }
        if task.labelID != .none { isMeant[task.labelID] = answer }
        return answer
    }
}
