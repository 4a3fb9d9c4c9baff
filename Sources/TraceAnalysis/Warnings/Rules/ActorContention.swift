import TaskEvents
import TraceStore

/// Calls of an actor, or of main, queued without a gap while the executor was busy. However many callers run at once, the executor makes
/// them wait in line.
struct ActorContention: WarningRule {
    let id = "actor-contention"
    let severity = WarningSeverity.note
    let summary = "calls of an actor waited for it without a pause while it was busy"
    /// The time during which at least one call was always waiting.
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.queues, .slices, .hops, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        ActorContentionDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let (waits, share, worst) = (finding.numbers[0], finding.numbers[1], finding.numbers[2])
        let callers = finding.evidence.dropFirst(2).enumerated().map { index, caller in
            let site = words.site(caller.label).map { " at \($0)" } ?? ""
            return "\(words.name(caller.task))\(site) (\(CountText.text(finding.numbers[3 + index])))"
        }
        return words.sentence(
            "\(words.name(finding.executor)) was busy \(share) % of \(words.duration(finding.measure)) in which calls always waited "
                + "for it: \(CountText.text(waits, "wait")), at worst \(words.duration(worst)), by \(callers.joined(separator: ", ")).")
    }
}

private final class ActorContentionDetector: WarningDetector {
    /// Fewer waits than this do not count as a line of callers.
    private static let leastWaits = 8
    /// The least share of the time, in percent, in which the executor must have run jobs. Below it, the executor itself waits for a thread.
    private static let leastShare: UInt64 = 50
    private static let callersShown = 3

    private struct Caller {
        var waits = 0
        var first: Evidence
    }

    /// A time in which at least one call is always waiting.
    private struct Line {
        var since: UInt64
        var busy: UInt64 = 0
        var runs: UInt64?
        var waits = 0
        var worst: (wait: UInt64, enqueued: Evidence, started: Evidence)?
        var callers: [CallSite: Caller] = [:]

        mutating func note(_ enqueued: Evidence, began event: TaskEvent, after wait: UInt64, from site: CallSite) {
            waits += 1
            if wait > worst?.wait ?? 0 { worst = (wait, enqueued, Evidence(event)) }
            callers[site, default: Caller(first: enqueued)].waits += 1
        }

        mutating func endRun(at time: UInt64) {
            if let begin = runs, time > max(begin, since) { busy += time - max(begin, since) }
            runs = nil
        }
    }

    private let rule: ActorContention
    private let threshold: UInt64
    @exclusivity(unchecked) private var lines = NumberedValues<Line>()
    /// Waiting calls, each with its executor and the time since which it waits.
    @exclusivity(unchecked) private var waiting = TaskMap<(executor: ExecutorID, since: UInt64)>()
    @exclusivity(unchecked) private var depths = NumberedValues<Int>()
    /// The job that each executor runs, and the time since which it runs.
    @exclusivity(unchecked) private var running = NumberedValues<(task: TaskID, since: UInt64)>()

    init(rule: ActorContention, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var isOfSwift: Bool { true }
    override var kinds: Set<EventKind> { [.enqueued, .started, .suspended, .completed, .faulted, .cancelled] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { kind != .started || detail == StartManner.slice.rawValue }

    override func missEvents() {
        lines = NumberedValues()
        waiting = TaskMap()
        depths = NumberedValues()
        running = NumberedValues()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .enqueued: if scene.isSerial(event.executor) { enqueue(event) }
        case .started: start(event, scene)
        case _:
            leave(event.task, at: event.time, scene)
            if let job = scene.endedSlice, running[job.executor]?.task == event.task {
                running[job.executor] = nil
                lines[job.executor]?.endRun(at: event.time)
            }
        }
    }

    private func enqueue(_ event: TaskEvent) {
        guard waiting[event.task] == nil else { return }
        waiting[event.task] = (event.executor, event.time)
        depths[event.executor] = (depths[event.executor] ?? 0) + 1
        guard lines[event.executor] == nil else { return }
        var line = Line(since: event.time)
        line.runs = running[event.executor].map { max($0.since, event.time) }
        lines[event.executor] = line
    }

    private func start(_ event: TaskEvent, _ scene: WarningScene) {
        guard event.detail == StartManner.slice.rawValue, scene.isSerial(event.executor) else { return }
        if let entry = waiting[event.task], entry.executor == event.executor { note(event, since: entry.since, scene) }
        leave(event.task, at: event.time, scene)
        running[event.executor] = (event.task, event.time)
        lines[event.executor]?.endRun(at: event.time)
        lines[event.executor]?.runs = event.time
    }

    /// A call begins to run.
    private func note(_ event: TaskEvent, since: UInt64, _ scene: WarningScene) {
        guard event.time > since else { return }
        let label = scene.store.task(event.task)?.labelID ?? .none
        let enqueued = Evidence(.enqueued, of: event.task, on: event.executor, label: label, at: since)
        lines[event.executor]?.note(enqueued, began: event, after: event.time - since, from: scene.site(of: label))
    }

    /// Removes a task from its line. The line ends with its last task.
    private func leave(_ task: TaskID, at time: UInt64, _ scene: WarningScene) {
        guard let entry = waiting.remove(task), let depth = depths[entry.executor] else { return }
        depths[entry.executor] = depth > 1 ? depth - 1 : nil
        guard depth <= 1, var line = lines[entry.executor] else { return }
        lines[entry.executor] = nil
        line.endRun(at: time)
        if let finding = finding(line, on: entry.executor, until: time, scene) { scene.report(finding) }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        lines.pairs.compactMap { number, line in
            var line = line
            line.endRun(at: scene.now)
            return finding(line, on: ExecutorID(rawValue: UInt16(number)), until: scene.now, scene)
        }
    }

    private func finding(_ line: Line, on executor: ExecutorID, until end: UInt64, _ scene: WarningScene) -> Finding? {
        guard end > line.since, end - line.since > threshold, line.waits >= Self.leastWaits, let worst = line.worst else { return nil }
        let time = end - line.since
        let share = UInt64(Double(line.busy) / Double(time) * 100)
        guard share >= Self.leastShare else { return nil }
        let callers = line.callers.values.sorted { ($1.waits, $0.first.task) < ($0.waits, $1.first.task) }.prefix(Self.callersShown)
        return Finding(
            rule, scene.store.task(worst.enqueued.task), executor: executor, at: line.since, measure: time,
            numbers: [UInt64(line.waits), min(share, 100), worst.wait] + callers.map { UInt64($0.waits) },
            evidence: [worst.enqueued, worst.started] + callers.map(\.first), harm: worst.started)
    }
}
