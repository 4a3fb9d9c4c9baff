import TaskEvents
import TraceStore

/// A task that more urgent tasks resume repeatedly at one await, to work for them, keeps its own low priority. The urgent tasks wait at its
/// pace. The consumer of a stream is such a task.
struct FixedPriority: WarningRule {
    let id = "fixed-priority"
    let severity = WarningSeverity.note
    let summary = "a task of one priority works for tasks of several, more urgent ones among them"
    let threshold: WarningThreshold? = .count(3)
    let needs: TraceRoutes = [.slices, .waits, .queues, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        FixedPriorityDetector(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let times = "more than \(CountText.text(finding.measure - 1)) times"
        let waker = words.name(finding.evidence[0].other)
        return words.sentence(
            "\(words.name(of: finding)) was given work by tasks of several priorities, \(times) by a more urgent one such as \(waker), "
                + "and does it at its own.")
    }
}

private final class FixedPriorityDetector: WarningDetector {
    private struct Consumer {
        /// The place of the await.
        var code: EntryID
        var priorities: Set<UInt8> = []
        var wakes: [Evidence] = []
        var isReported = false
    }

    private let rule: FixedPriority
    private let threshold: Int
    /// By task, the place where it awaits a continuation.
    @exclusivity(unchecked) private var awaiting = TaskMap<EntryID>()
    @exclusivity(unchecked) private var consumers = TaskMap<Consumer>()

    init(rule: FixedPriority, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    override var isOfSwift: Bool { true }
    override var kinds: Set<EventKind> { [.suspended, .enqueued, .completed, .faulted, .cancelled] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool {
        kind != .suspended || detail == SuspensionReason.continuation.rawValue
    }

    override func missEvents() {
        awaiting = TaskMap()
        consumers = TaskMap()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .suspended:
            if event.detail == SuspensionReason.continuation.rawValue { awaiting[event.task] = event.label }
        case .enqueued:
            guard let code = awaiting.remove(event.task) else { return }
            wake(event, at: code, lane: lane, scene)
        case _:
            _ = consumers.remove(event.task)
        }
    }

    private func wake(_ event: TaskEvent, at code: EntryID, lane: Int, _ scene: WarningScene) {
        guard event.detail > 0, event.other != 0, let waker = scene.jobs.job(on: lane), waker.task == event.otherTask, waker.priority > 0,
            // A timer works for no task.
            scene.store.task(waker.task)?.kind != .internal
        else { return }
        var consumer = consumers[event.task] ?? Consumer(code: code)
        if consumer.code != code { consumer = Consumer(code: code) }
        consumer.priorities.insert(waker.priority)
        if waker.priority > event.detail, consumer.wakes.count < max(Finding.evidenceLimit, threshold + 1) {
            consumer.wakes.append(Evidence(.enqueued, of: event.task, by: waker.task, on: event.executor, at: event.time))
        }
        if !consumer.isReported, consumer.wakes.count > threshold, consumer.priorities.count > 1, let task = scene.store.task(event.task) {
            consumer.isReported = true
            scene.report(
                Finding(
                    rule, task, executor: event.executor, at: event.time, measure: UInt64(consumer.wakes.count), evidence: consumer.wakes))
        }
        consumers[event.task] = consumer
    }
}
