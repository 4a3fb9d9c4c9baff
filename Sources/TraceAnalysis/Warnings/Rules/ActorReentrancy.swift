import TaskEvents
import TraceStore

/// While a call of an actor awaited a task that it had created, other calls reached the same place and each created a task of its own. All
/// of them checked the actor's state before the first call returned. The actor does the work several times, and the state that a call read
/// before its await may have changed.
///
/// An actor admits other calls while one awaits, and calls that share the first call's task are safe. The rule reports neither. Nor does a
/// trace show whether the calls were for the same: a cache with a key loads several values at a time, and is right to. So the rule needs the
/// names of the actors whose calls must not repeat work.
struct ActorReentrancy: WarningRule {
    let id = "actor-reentrancy"
    let severity = WarningSeverity.note
    let summary = "calls of an actor reached one await at the same time, and each made a task there"
    /// The number of calls after the first.
    let threshold: WarningThreshold? = .count(1)
    let needs: TraceRoutes = [.created, .slices, .waits, .hops, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        ActorReentrancyDetector(rule: self, threshold: Int(clamping: settings.threshold(of: self)), names: settings.onceNames)
    }

    func missingSetting(_ settings: WarningSettings) -> String? {
        settings.onceNames.isEmpty ? "no names of actors are given that do their work once" : nil
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let calls = "\(CountText.text(finding.measure)) more calls reached the same await"
        return words.sentence(
            "\(words.name(of: finding)) awaited a task that it had made on \(words.name(finding.executor)), and before that ended "
                + "\(calls), each making its own.")
    }
}

private final class ActorReentrancyDetector: WarningDetector {
    /// An actor, and the place in the program that creates tasks there.
    private struct Key: Hashable {
        var executor: ExecutorID
        var site: CallSite
    }

    /// A call that awaits, or has awaited, the task that it created.
    private struct Call {
        var task: TaskID
        var made: Evidence
        var suspended: UInt64
        /// The entry of the calls that await.
        var await: EntryID
        /// The event that returned the call to the actor.
        var back: Evidence?
    }

    private struct Calls {
        var all: [Call] = []
        var open = 0
        var isReported = false
    }

    private let rule: ActorReentrancy
    private let threshold: Int
    private let names: [NamePattern]
    /// By executor, whether its calls must not repeat work.
    private var isMeant: [ExecutorID: Bool] = [:]
    /// By thread, the last task that its slice created, and the creating task.
    @exclusivity(unchecked) private var made = NumberedValues<(maker: TaskID, evidence: Evidence)>()
    private var calls: [Key: Calls] = [:]
    /// By task, the place of its call that awaits.
    @exclusivity(unchecked) private var keys = TaskMap<Key>()

    init(rule: ActorReentrancy, threshold: Int, names: [NamePattern]) {
        self.rule = rule
        self.threshold = threshold
        self.names = names
    }

    override var isOfSwift: Bool { true }
    override var kinds: Set<EventKind> {
        names.isEmpty ? [] : [.created, .suspended, .started, .hopped, .completed, .faulted, .cancelled]
    }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { kind != .created || TaskKind.isUnstructured(detail) }

    override func missEvents() {
        made = NumberedValues()
        calls = [:]
        keys = TaskMap()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .created:
            guard TaskKind.isUnstructured(event.detail), event.label != .none, event.other != 0 else { return }
            made[lane] = (event.otherTask, Evidence(.created, of: event.task, label: event.label, at: event.time))
        case .suspended: suspend(event, lane: lane, scene)
        // A task that an await resumes continues on any executor, and hops from there back to its actor.
        case .started, .hopped: if let key = keys[event.task], event.executor == key.executor { end(event, scene) }
        case _: if keys[event.task] != nil { end(event, scene) }
        }
    }

    private func suspend(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard let made = made[lane] else { return }
        self.made[lane] = nil
        guard event.detail == SuspensionReason.task.rawValue, made.maker == event.task,
            made.evidence.task == event.otherTask, scene.isSerial(event.executor), worksOnce(event.executor, scene)
        else { return }
        let key = Key(executor: event.executor, site: scene.site(of: made.evidence.label))
        var here = calls[key] ?? Calls()
        guard here.all.count < Finding.evidenceLimit else { return }
        here.all.append(Call(task: event.task, made: made.evidence, suspended: event.time, await: event.label))
        here.open += 1
        calls[key] = here
        keys[event.task] = key
    }

    private func worksOnce(_ executor: ExecutorID, _ scene: WarningScene) -> Bool {
        if let known = isMeant[executor] { return known }
        let name = scene.store.description(of: executor).name
        let answer = names.contains { $0.matches(name) }
        isMeant[executor] = answer
        return answer
    }

    /// The call has returned to its actor, or its task has ended without returning.
    private func end(_ event: TaskEvent, _ scene: WarningScene) {
        guard let key = keys.remove(event.task), var here = calls[key] else { return }
        here.open -= 1
        if event.executor == key.executor, let index = here.all.lastIndex(where: { $0.task == event.task }) {
            here.all[index].back = Evidence(event)
        }
        if !here.isReported, let finding = finding(here.all, key, scene) {
            here.isReported = true
            scene.report(finding)
        }
        calls[key] = here.open > 0 ? here : nil
    }

    private func finding(_ calls: [Call], _ key: Key, _ scene: WarningScene) -> Finding? {
        guard let first = calls.first(where: { $0.back != nil }), let back = first.back, let end = back.at else { return nil }
        let others = calls.filter { $0.task != first.task && $0.back != nil && $0.suspended > first.suspended && $0.suspended < end }
        guard others.count > threshold else { return nil }
        let evidence = ([first] + others).flatMap { [$0.made, Evidence(.suspended, of: $0.task, on: key.executor, at: $0.suspended)] }
        return Finding(
            rule, scene.store.task(first.task), executor: key.executor, at: end, measure: UInt64(others.count),
            evidence: evidence + [back], harm: evidence[3], site: first.await)
    }
}
