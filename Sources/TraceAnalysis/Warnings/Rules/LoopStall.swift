import TaskEvents
import TraceStore

/// An event loop, as those of swift-nio, took so long over one turn that its other connections had to wait.
struct LoopStall: WarningRule {
    let id = "loop-stall"
    let severity = WarningSeverity.warning
    let summary = "an event loop took too long over one turn"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = .blocks
    let sees: TraceRoutes = [.slices, .ends, .blocking]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        LoopStallDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let isOver = finding.evidence.contains { $0.kind == .jobEnded }
        let turn = isOver ? "took no new event" : "has taken no new event"
        let name = words.name(finding.executor)
        return "\(name) \(turn) for \(words.duration(finding.measure))\(cause(of: finding, words))."
    }

    /// The clause that names the task or the call that took most of the turn.
    private func cause(of finding: Finding, _ words: WarningWords) -> String {
        let task = finding.task == .none ? nil : words.name(finding.task)
        guard finding.evidence.contains(where: { $0.kind == .waitBegan }) else {
            return task.map { ": \($0) ran for most of that time" } ?? ", and what ran meanwhile is not recorded"
        }
        let places = [words.function(finding.site), words.site(finding.site)].compactMap(\.self)
        let call = places.isEmpty ? "a blocking call" : places.joined(separator: ", ")
        return ": \(task ?? "its thread") was blocked for most of that time in \(call)"
    }
}

private final class LoopStallDetector: WarningDetector {
    /// The longest part of a turn so far that the trace shows: a slice of a task, or a wait.
    private struct Part {
        var since: UInt64
        var length: UInt64
        var task: TaskID
        var wait: ThreadJobs.Wait?
    }

    private let rule: LoopStall
    private let threshold: UInt64
    /// By lane.
    private var longest: [Int: Part] = [:]

    init(rule: LoopStall, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.jobEnded, .suspended, .completed, .faulted, .cancelled, .waitEnded] }

    override func missEvents() { longest = [:] }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .jobEnded:
            guard let job = scene.jobs.job(endedBy: event, lane: lane), scene.kind(of: job.executor) == .loop else { return }
            if let finding = finding(job, longest[job.lane], scene, end: event) { scene.report(finding) }
            longest[job.lane] = nil
        case .waitEnded:
            guard let wait = scene.jobs.wait(on: lane) else { return }
            note(part(wait, scene), lane: wait.lane)
        case _:
            guard let slice = scene.endedSlice else { return }
            note(part(slice, scene), lane: slice.lane)
        }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        scene.store.executors.filter { $0.kind == .loop }.flatMap { scene.jobs.jobs(on: $0.id) }.compactMap { turn in
            let inner = scene.jobs.job(on: turn.lane).flatMap { $0 == turn ? nil : part($0, scene) }
            let parts = [longest[turn.lane], scene.jobs.wait(on: turn.lane).map { part($0, scene) }, inner].compactMap(\.self)
            return finding(turn, parts.max { rank($0) < rank($1) }, scene, end: nil)
        }
    }

    private func part(_ wait: ThreadJobs.Wait, _ scene: WarningScene) -> Part {
        Part(since: wait.since, length: scene.elapsed(since: wait.since), task: wait.waiter, wait: wait)
    }

    private func part(_ slice: ThreadJobs.Job, _ scene: WarningScene) -> Part {
        Part(since: slice.since, length: scene.elapsed(since: slice.since), task: slice.task)
    }

    /// A part shorter than this is never most of a turn that is worth a finding.
    private func note(_ part: Part, lane: Int) {
        guard part.length > threshold / 2, longest[lane].map({ rank($0) < rank(part) }) ?? true else { return }
        longest[lane] = part
    }

    /// A wait tells more than the slice in which it was.
    private func rank(_ part: Part) -> (Int, UInt64) { (part.wait != nil && part.length > threshold / 2 ? 1 : 0, part.length) }

    private func finding(_ turn: ThreadJobs.Job, _ part: Part?, _ scene: WarningScene, end: TaskEvent?) -> Finding? {
        let time = scene.elapsed(since: turn.since)
        guard time > threshold else { return nil }
        let cause = part.flatMap { $0.since >= turn.since && $0.length > time / 2 ? $0 : nil }
        let start = Evidence(.started, of: turn.task, on: turn.executor, label: turn.closure, at: turn.since)
        let wait = cause?.wait.map { Evidence(.waitBegan, of: $0.task, by: $0.waiter, on: turn.executor, at: $0.since) }
        return Finding(
            rule, cause.flatMap { scene.store.task($0.task) }, executor: turn.executor, at: turn.since, measure: time,
            evidence: [start] + (wait.map { [$0] } ?? []) + (end.map { [Evidence($0)] } ?? []), site: cause?.wait?.site ?? .none,
            closure: turn.closure)
    }
}
