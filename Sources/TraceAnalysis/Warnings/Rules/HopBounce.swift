import TaskEvents
import TraceStore

/// A chain hops back and forth between two executors, and each visit is shorter than its two waits. One short visit can be intended. Many
/// in a row are a loop on the wrong executor. A Swift task can have work at home, so its stays there must be short too.
struct HopBounce: WarningRule {
    let id = "hop-bounce"
    let severity = WarningSeverity.warning
    let summary = "a chain went to and fro between two executors for short visits"
    let threshold: WarningThreshold? = .count(3)
    let needs: TraceRoutes = [.slices, .queues, .hops, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        HopBounceDetector(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let ends = finding.evidence.suffix(2).map { words.name($0.executor) }
        // The rule reports as soon as the limit is exceeded, and the chain may continue.
        let way = "to and fro between \(ends.joined(separator: " and ")) more than \(CountText.text(finding.measure - 1)) times in a row"
        if finding.evidence.allSatisfy({ $0.task == finding.task }) {
            return words.sentence("\(words.name(of: finding)) went \(way), each visit shorter than its two waits.")
        }
        return "The chain that comes to \(words.name(of: finding)) went \(way), each visit shorter than its two waits."
    }
}

private final class HopBounceDetector: WarningDetector {
    private let rule: HopBounce
    private let threshold: Int
    /// The visits of each Swift task that has left an executor through a queue.
    @exclusivity(unchecked) private var trips = TaskMap<SliceTrips>()

    init(rule: HopBounce, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.started, .hopped, .suspended, .completed, .faulted, .cancelled] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool {
        switch kind {
        case .hopped: detail == HopManner.dispatched.rawValue
        case .suspended: detail != SuspensionReason.executor.rawValue
        case _: true
        }
    }

    override func missEvents() {
        trips = TaskMap()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .started where event.detail == StartManner.slice.rawValue:
            startSlice(event, scene)
        case .started: start(event, scene)
        // A chain's task emits its hop before it is queued, outside every slice.
        case .hopped where event.detail == HopManner.dispatched.rawValue && scene.store.task(event.task)?.kind.isOfSwift ?? false:
            hop(event)
        case .suspended where event.detail == SuspensionReason.executor.rawValue: break
        case .hopped: break
        case _: _ = trips.remove(event.task)
        }
    }

    private func hop(_ event: TaskEvent) {
        if trips[event.task]?.hop(event) != true { trips[event.task] = SliceTrips(event) }
    }

    private func startSlice(_ event: TaskEvent, _ scene: WarningScene) {
        guard let count = trips[event.task]?.count else { return }
        guard trips[event.task]?.start(event) == true else {
            trips[event.task] = nil
            return
        }
        guard let trip = trips[event.task], trip.count != count, trip.count == threshold + 1, let task = scene.store.task(event.task) else {
            return
        }
        scene.report(
            Finding(
                rule, task, executor: event.executor, at: event.time, measure: UInt64(trip.count),
                evidence: trip.hops))
    }

    private func start(_ event: TaskEvent, _ scene: WarningScene) {
        guard event.detail == StartManner.dequeued.rawValue, let task = scene.store.task(event.task), task.kind == .continuation else {
            return
        }
        // The visits seen from the other end belong to the same series, which the rule has already reported.
        let wanted = threshold + 1
        let trips = scene.hops.roundTrips(to: task, limit: wanted + 1)
        guard trips.count == wanted, let visitor = trips.first, scene.hops.roundTrips(to: visitor.visitor, limit: wanted).count < wanted
        else { return }
        let evidence = trips.reversed().flatMap { trip in
            [trip.there, trip.back].map { Evidence(.hopped, of: $0.task, on: $0.to, at: $0.at) }
        }
        scene.report(
            Finding(
                rule, task, executor: event.executor, at: event.time, measure: UInt64(trips.count),
                evidence: Array(evidence.suffix(Finding.evidenceLimit))))
    }
}
