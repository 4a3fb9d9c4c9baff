import TaskEvents
import TraceStore
import TraceTransport

/// Calls of an actor, or of main, queued without a gap while the executor was busy. However many callers run at once, the executor makes
/// them wait in line. It is a warning if the calls lose far more time than the work takes: the median wait is longer than five median jobs,
/// or more than ten calls wait for more than half a second.
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
        let shown = finding.evidence.dropFirst(2)
        let callers = shown.enumerated().map { index, caller in
            let isShared = finding.numbers[5 + shown.count + index] > 0
            let count = CountText.text(finding.numbers[5 + index])
            // The words of a block have its place.
            guard !caller.task.isBlock else { return "\(words.name(caller.task))\(isShared ? " and others like it" : "") (\(count))" }
            let site = (words.callSite(caller.label) ?? words.siteBesideName(caller.label)).map { " at \($0)" } ?? ""
            return "\(words.name(caller.task))\(isShared ? " and others" : "")\(site) (\(count))"
        }
        let name = words.name(finding.executor)
        if finding.severity < .note {
            let (wait, job) = (words.duration(finding.numbers[3]), words.duration(finding.numbers[4]))
            return "\(name) is crowded: for \(words.duration(finding.measure)) calls have waited for it all the time, "
                + "\(CountText.text(waits)) of them, typically \(wait) for a job of \(job) and at worst \(words.duration(worst)); "
                + "called by \(callers.joined(separator: ", "))."
        }
        return "\(name) was busy \(share) % of \(words.duration(finding.measure)) in which calls always waited for it: "
            + "\(CountText.text(waits, "wait")), at worst \(words.duration(worst)), by \(callers.joined(separator: ", "))."
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
        /// Whether other tasks than the first one call here too.
        var isShared = false
    }

    /// A time in which at least one call is always waiting.
    private struct Line {
        var since: UInt64
        var busy: UInt64 = 0
        var runs: UInt64?
        var waits = 0
        var worst: (wait: UInt64, enqueued: Evidence, started: Evidence)?
        var callers: [CallSite: Caller] = [:]
        /// The lengths of waits and jobs, once it is a line.
        var lengths: Lengths?
        /// The lengths of the waits and jobs before it is one.
        var earlyWaits: [8 of UInt64] = .init(repeating: 0)
        var earlyJobs: [8 of UInt64] = .init(repeating: 0)
        var earlyJobCount = 0
        /// The time during which many calls waited, and since when they do.
        var crowded: UInt64 = 0
        /// The longest job.
        var longest: UInt64 = 0
        var crowdedSince: UInt64?

        mutating func note(_ enqueued: Evidence, began event: TaskEvent, after wait: UInt64, from site: CallSite) {
            waits += 1
            if wait > worst?.wait ?? 0 { worst = (wait, enqueued, Evidence(event)) }
            var caller = callers[site] ?? Caller(first: enqueued)
            caller.waits += 1
            caller.isShared = caller.isShared || caller.first.task != enqueued.task
            callers[site] = caller
            guard waits >= ActorContentionDetector.leastWaits else {
                earlyWaits[waits - 1] = wait
                return
            }
            if lengths == nil { beginLengths() }
            lengths?.waits.note(wait)
        }

        private mutating func beginLengths() {
            let lengths = Lengths()
            for index in 0..<waits - 1 { lengths.waits.note(earlyWaits[index]) }
            for index in 0..<earlyJobCount { lengths.jobs.note(earlyJobs[index]) }
            self.lengths = lengths
        }

        private mutating func note(job: UInt64) {
            if let lengths {
                lengths.jobs.note(job)
            } else if earlyJobCount < earlyJobs.count {
                earlyJobs[earlyJobCount] = job
                earlyJobCount += 1
            }
        }

        /// - Parameter isOver: false for a job that goes on.
        mutating func endRun(at time: UInt64, isOver: Bool = true) {
            if let begin = runs, time > max(begin, since) {
                busy = busy.plus(time - max(begin, since))
                longest = max(longest, time - max(begin, since))
                if isOver { note(job: time - begin) }
            }
            runs = nil
        }

        mutating func note(depth: Int, at time: UInt64) {
            if depth > ActorContentionDetector.crowd {
                crowdedSince = crowdedSince ?? time
            } else if let begin = crowdedSince {
                crowded = crowded.plus(time > begin ? time - begin : 0)
                crowdedSince = nil
            }
        }
    }

    private final class Lengths {
        var waits = LengthCounts()
        var jobs = LengthCounts()
    }

    /// More waiting calls than this, for longer than this, are a crowd. So are calls whose median wait is longer than this many median jobs.
    private static let crowd = 10
    private static let leastCrowdedTime: UInt64 = 500_000_000
    private static let mostJobsOfAWait: UInt64 = 5

    private let rule: ActorContention
    private let threshold: UInt64
    @exclusivity(unchecked) private var lines = NumberedValues<Line>()
    /// Waiting calls, each with its executor and the time since which it waits.
    @exclusivity(unchecked) private var waiting = TaskMap<(executor: ExecutorID, since: UInt64)>()
    @exclusivity(unchecked) private var depths = NumberedValues<Int>()
    /// The place where each task goes on that has left for a serial executor through its queue.
    @exclusivity(unchecked) private var sites = TaskMap<EntryID>()
    /// The job that each executor runs, and the time since which it runs.
    @exclusivity(unchecked) private var running = NumberedValues<(task: TaskID, since: UInt64)>()

    init(rule: ActorContention, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var isOfSwift: Bool { true }
    override var kinds: Set<EventKind> { [.hopped, .enqueued, .started, .suspended, .completed, .faulted, .cancelled] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool {
        switch kind {
        case .hopped: detail == HopManner.dispatched.rawValue
        case .started: detail == StartManner.slice.rawValue
        case _: true
        }
    }

    override func missEvents() {
        lines = NumberedValues()
        waiting = TaskMap()
        sites = TaskMap()
        depths = NumberedValues()
        running = NumberedValues()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .hopped: if event.label != .none, scene.isSerial(event.executor) { sites[event.task] = event.label }
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
        guard lines[event.executor] == nil else {
            lines[event.executor]?.note(depth: depths[event.executor] ?? 0, at: event.time)
            return
        }
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
        let label = sites[event.task] ?? scene.store.task(event.task)?.labelID ?? .none
        let enqueued = Evidence(.enqueued, of: event.task, on: event.executor, label: label, at: since)
        lines[event.executor]?.note(enqueued, began: event, after: event.time - since, from: scene.site(of: label))
    }

    /// Removes a task from its line. The line ends with its last task.
    private func leave(_ task: TaskID, at time: UInt64, _ scene: WarningScene) {
        _ = sites.remove(task)
        guard let entry = waiting.remove(task), let depth = depths[entry.executor] else { return }
        depths[entry.executor] = depth > 1 ? depth - 1 : nil
        lines[entry.executor]?.note(depth: depth - 1, at: time)
        guard depth <= 1, var line = lines[entry.executor] else { return }
        lines[entry.executor] = nil
        line.endRun(at: time)
        if let finding = finding(line, on: entry.executor, until: time, scene) { scene.report(finding) }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        lines.pairs.compactMap { number, line in
            var line = line
            line.endRun(at: scene.now, isOver: false)
            line.note(depth: 0, at: scene.now)
            return finding(line, on: ExecutorID(rawValue: UInt16(number)), until: scene.now, scene)
        }
    }

    private func finding(_ line: Line, on executor: ExecutorID, until end: UInt64, _ scene: WarningScene) -> Finding? {
        guard end > line.since, end - line.since > threshold, line.waits >= Self.leastWaits, let worst = line.worst else { return nil }
        let time = end - line.since
        let share = UInt64(Double(line.busy) / Double(time) * 100)
        guard share >= Self.leastShare else { return nil }
        let callers = line.callers.values.sorted { ($1.waits, $0.first.task) < ($0.waits, $1.first.task) }.prefix(Self.callersShown)
        // A median is rounded up, but not beyond the longest.
        let wait = min(line.lengths?.waits.median ?? 0, worst.wait)
        let job = min(line.lengths?.jobs.median ?? 0, line.longest)
        let site = worst.enqueued.label
        var finding = Finding(
            rule, scene.store.task(worst.enqueued.task), executor: executor, at: line.since, measure: time,
            numbers: [UInt64(line.waits), min(share, 100), worst.wait, wait, job] + callers.map { UInt64($0.waits) }
                + callers.map { $0.isShared ? 1 : 0 },
            evidence: [worst.enqueued, worst.started] + callers.map(\.first), harm: worst.started, site: site)
        let isCrowded = line.crowded > Self.leastCrowdedTime || job > 0 && wait / job >= Self.mostJobsOfAWait
        // One job that takes most of the time is no crowd: the calls wait for that job.
        if isCrowded, line.longest < time / 2 { finding.severity = .warning }
        return finding
    }
}
