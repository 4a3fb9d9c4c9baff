import TaskEvents
import TraceStore

/// Consecutive jobs of a chain went through a queue onto the executor that they were already on. One such hop can be intended, to give
/// other jobs a turn. Many in a row are a habit, and each costs a wait.
struct RedundantHop: WarningRule {
    let id = "redundant-hop"
    let severity = WarningSeverity.note
    let summary = "a chain went through a queue onto the executor it was on, again and again"
    let threshold: WarningThreshold? = .count(8)
    let needs: TraceRoutes = [.slices, .queues, .hops, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        RedundantHopDetector(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        // The rule reports as soon as the limit is exceeded, and the chain may continue.
        let times = "more than \(CountText.text(finding.measure - 1)) times in a row"
        return "The chain up to \(words.name(of: finding)) went \(times) through the queue of \(words.name(finding.executor)), "
            + "where it was already."
    }
}

private final class RedundantHopDetector: WarningDetector {
    private let rule: RedundantHop
    private let threshold: Int

    init(rule: RedundantHop, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.hopped] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { detail == HopManner.dispatched.rawValue }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard event.other == UInt64(event.executor.rawValue), event.executor != .none, event.detail == HopManner.dispatched.rawValue,
            // A Swift task continues no chain, and actors that share a name share a number.
            let task = scene.store.task(event.task), !task.kind.isOfSwift
        else { return }
        let hops = scene.hops.redundantHops(to: task, on: event.executor, limit: threshold + 2)
        guard hops.count == threshold + 1 else { return }
        let evidence = hops.reversed().map { Evidence(.hopped, of: $0.task, on: $0.to, at: $0.at) }
        scene.report(
            Finding(
                rule, task, executor: event.executor, at: event.time, measure: UInt64(hops.count),
                evidence: Array(evidence.suffix(Finding.evidenceLimit))))
    }
}
