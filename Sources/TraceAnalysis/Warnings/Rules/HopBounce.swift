import TaskEvents
import TraceStore
import TraceTransport

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
        let cost =
            finding.numbers[1] > 0
            ? "; they waited \(words.duration(finding.numbers[0])) of \(words.duration(finding.numbers[1]))" : ""
        let way =
            "to and fro between \(ends.joined(separator: " and ")) \(CountText.text(finding.measure)) times in a row, "
            + "each visit shorter than its two waits\(cost)."
        if finding.evidence.allSatisfy({ $0.task == finding.task }) {
            return words.sentence("\(words.name(of: finding)) went \(way)")
        }
        let first = words.store.task(finding.task)?.chain ?? finding.task
        return "The chain that begins with \(words.name(first)) went \(way)"
    }
}

private final class HopBounceDetector: WarningDetector {
    private let rule: HopBounce
    private let threshold: Int
    /// The visits of each Swift task that has left an executor through a queue.
    @exclusivity(unchecked) private var trips = TaskMap<SliceTrips>()
    /// The tasks whose visits exceed the limit, each with its finding as it began.
    @exclusivity(unchecked) private var bouncing: [TaskID: Finding] = [:]
    /// The chains that go to and fro, by their first tasks. If there are more, their findings no longer grow.
    @exclusivity(unchecked) private var chains: [TaskID: ChainTrips] = [:]
    private static let mostChains = 1000
    /// The findings of series that have ended, until the engine takes them.
    @exclusivity(unchecked) private var ended: [Finding] = []

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
        for task in bouncing.keys { end(task) }
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
        case _:
            end(event.task)
            _ = trips.remove(event.task)
        }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        ended + bouncing.keys.compactMap(finding) + chains.values.map(\.finding)
    }

    // MARK: Swift tasks

    private func hop(_ event: TaskEvent) {
        guard trips[event.task]?.hop(event) != true else { return }
        end(event.task)
        trips[event.task] = SliceTrips(event)
    }

    private func startSlice(_ event: TaskEvent, _ scene: WarningScene) {
        guard trips[event.task] != nil else { return }
        guard trips[event.task]?.start(event) == true else {
            end(event.task)
            trips[event.task] = nil
            return
        }
        guard let trip = trips[event.task], trip.count > threshold, bouncing[event.task] == nil, let task = scene.store.task(event.task)
        else { return }
        bouncing[event.task] = Finding(rule, task, executor: event.executor, at: event.time, evidence: trip.hops, site: trip.site)
    }

    /// The finding of a task that goes to and fro, as it stands.
    private func finding(_ task: TaskID) -> Finding? {
        guard var finding = bouncing[task], let trip = trips[task] else { return nil }
        finding.measure = UInt64(trip.count)
        finding.numbers = [trip.waited, trip.last > trip.began ? trip.last - trip.began : 0]
        finding.evidence = trip.hops.suffix(trip.hops.count / 2 * 2)
        return finding
    }

    private func end(_ task: TaskID) {
        if let finding = finding(task) { keep(finding) }
        bouncing[task] = nil
    }

    private func keep(_ finding: Finding) { ended.append(finding) }

    override func settleAhead(_ scene: WarningScene) { report(scene) }
    override func settle(_ scene: WarningScene) { report(scene) }

    private func report(_ scene: WarningScene) {
        for finding in ended { scene.report(finding) }
        ended = []
    }

    // MARK: Chains

    /// The visits of a chain that goes to and fro.
    private struct ChainTrips {
        var finding: Finding
        var began: UInt64

        mutating func add(_ trip: RoundTrip, at time: UInt64) {
            finding.measure += 1
            finding.numbers[0] = finding.numbers[0].plus(trip.waited)
            finding.numbers[1] = time > began ? time - began : 0
            let hops = trip.evidence
            finding.evidence = finding.evidence.suffix(Finding.evidenceLimit - hops.count) + hops
        }
    }

    private func start(_ event: TaskEvent, _ scene: WarningScene) {
        guard event.detail == StartManner.dequeued.rawValue, let task = scene.store.task(event.task), task.kind == .continuation else {
            return
        }
        // The visits seen from the other end belong to the same series.
        let wanted = threshold + 1
        let trips = scene.hops.roundTrips(to: task, limit: wanted + 1)
        if trips.count > wanted, chains[task.chain]?.finding.executor == event.executor {
            chains[task.chain]?.add(trips[0], at: event.time)
            return
        }
        guard trips.count == wanted, let visitor = trips.first, scene.hops.roundTrips(to: visitor.visitor, limit: wanted).count < wanted
        else { return }
        let began = trips.last?.there.at ?? event.time
        var series = ChainTrips(
            finding: Finding(rule, task, executor: event.executor, at: event.time, numbers: [0, 0], evidence: [Evidence(event)]),
            began: began)
        series.finding.evidence = []
        for trip in trips.reversed() { series.add(trip, at: event.time) }
        if let earlier = chains[task.chain]?.finding { keep(earlier) }
        if chains.count == Self.mostChains {
            for chain in chains.values { keep(chain.finding) }
            chains = [:]
        }
        chains[task.chain] = series
    }
}

extension RoundTrip {
    fileprivate var evidence: [Evidence] { [there, back].map { Evidence(.hopped, of: $0.task, on: $0.to, at: $0.at) } }

    fileprivate var waited: UInt64 { (there.wait ?? 0).plus(back.wait ?? 0) }
}
