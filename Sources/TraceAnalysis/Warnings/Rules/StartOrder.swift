import TaskEvents
import TraceStore

/// On an executor that runs one job at a time, a job began before another job that the same thread had enqueued earlier. Code that relies
/// on the order is wrong. For Swift tasks created in one go: many reached an actor before a task that was created earlier.
struct StartOrder: WarningRule {
    let id = "start-order"
    let severity = WarningSeverity.note
    let summary = "tasks were begun in one order, and reached a serial executor in another"
    /// The number of Swift tasks that overtake one.
    let threshold: WarningThreshold? = .count(3)
    let needs: TraceRoutes = [.created, .slices, .hops, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        StartOrderDetector(rule: self, threshold: Int(clamping: settings.threshold(of: self)))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let other = words.name(finding.evidence[1].task)
        if finding.evidence[0].kind == .created {
            let overtakers = "\(CountText.text(finding.measure)) that were made after it"
            return words.sentence("\(words.name(of: finding)) came to \(words.name(finding.executor)) later than \(overtakers).")
        }
        return words.sentence(
            "\(words.name(of: finding)) was put on \(words.name(finding.executor)) before \(other), and began after it.")
    }
}

private final class StartOrderDetector: WarningDetector {
    /// A waiting job: its number among its thread's jobs, and the time at which it was enqueued.
    private struct Turn {
        var lane: Int
        var number: Int
        var at: UInt64
    }

    private struct Begun {
        var task: TaskID
        var turn: Turn
        var at: UInt64
    }

    private final class Queue {
        /// The number of jobs enqueued so far, by enqueuing thread.
        var counts: [Int: Int] = [:]
        var waiting: [TaskID: Turn] = [:]
        /// By thread, the last enqueued of its jobs that have begun.
        var last: [Int: Begun] = [:]
        var findings: [Finding] = []
        /// Whether the executor has run two jobs at once, or a gate has released its jobs. Their order then proves nothing.
        var isFree = false
    }

    /// The rule keeps at most this many findings per executor.
    private static let limit = 1000

    private let rule: StartOrder
    private let threshold: Int
    private var queues: [ExecutorID: Queue] = [:]
    private let tasks = TaskArrivals()

    init(rule: StartOrder, threshold: Int) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.created, .enqueued, .started, .hopped, .completed, .faulted, .cancelled, .held, .stepped] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool {
        kind != .started || detail == StartManner.dequeued.rawValue || detail == StartManner.slice.rawValue
    }

    override func missEvents() {
        tasks.forgetAll()
        for queue in queues.values {
            queue.waiting = [:]
            queue.last = [:]
        }
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        // Executors of all other kinds begin their jobs in order. If one does not, it has several threads.
        case .enqueued where scene.kind(of: event.executor) == .custom && scene.store.task(event.task)?.kind.isOfSwift != true:
            let queue = queue(of: event.executor)
            guard !queue.isFree else { return }
            let number = queue.counts[lane, default: 0]
            queue.counts[lane] = number + 1
            queue.waiting[event.task] = Turn(lane: lane, number: number, at: event.time)
        case .started where event.detail == StartManner.dequeued.rawValue: begin(event, scene)
        case .started: if !tasks.isEmpty, scene.isSerial(event.executor) { tasks.begin(event) }
        case .created:
            if isTaskOfItsOwn(event, scene) { tasks.create(event, lane: lane, scene) }
        case .hopped: if !tasks.isEmpty { arrive(event, scene) }
        case .completed, .faulted: if !tasks.isEmpty { tasks.end(event.task) }
        case .cancelled:
            if !tasks.isEmpty { tasks.end(event.task) }
            for queue in queues.values { queue.waiting[event.task] = nil }
        case .held, .stepped: setFree(queue(of: event.executor))
        case _: break
        }
    }

    /// Whether nothing orders the task: it is not a child, and not a task of the runtime, except the tasks that run a chain's asynchronous
    /// bodies.
    private func isTaskOfItsOwn(_ event: TaskEvent, _ scene: WarningScene) -> Bool {
        switch TaskKind(rawValue: event.detail) {
        case .unstructured, .detached: true
        case .internal: scene.store.task(event.otherTask).map { !$0.kind.isOfSwift } ?? false
        case .root, .continuation, .join, .delay, .source, .asyncLet, .groupChild, .block, .main, nil: false
        }
    }

    private func arrive(_ event: TaskEvent, _ scene: WarningScene) {
        guard scene.isSerial(event.executor), let late = tasks.arrive(event, threshold: threshold) else { return }
        scene.report(
            Finding(
                rule, scene.store.task(event.task), executor: event.executor, at: event.time, measure: UInt64(late.overtakers),
                evidence: late.evidence, harm: Evidence(event)))
    }

    private func queue(of executor: ExecutorID) -> Queue {
        if let queue = queues[executor] { return queue }
        let queue = Queue()
        queues[executor] = queue
        return queue
    }

    private func begin(_ event: TaskEvent, _ scene: WarningScene) {
        guard let queue = queues[event.executor], !queue.isFree else { return }
        guard scene.jobs.jobs(on: event.executor).isEmpty else { return setFree(queue) }
        guard let turn = queue.waiting.removeValue(forKey: event.task) else { return }
        if let last = queue.last[turn.lane], last.turn.number > turn.number {
            guard queue.findings.count < Self.limit else { return }
            queue.findings.append(finding(event, turn, last, scene))
        } else {
            queue.last[turn.lane] = Begun(task: event.task, turn: turn, at: event.time)
        }
    }

    private func finding(_ event: TaskEvent, _ turn: Turn, _ last: Begun, _ scene: WarningScene) -> Finding {
        let evidence = [
            Evidence(.enqueued, of: event.task, on: event.executor, at: turn.at),
            Evidence(.enqueued, of: last.task, on: event.executor, at: last.turn.at),
            Evidence(.started, of: last.task, on: event.executor, at: last.at),
            Evidence(event),
        ]
        return Finding(
            rule, scene.store.task(event.task), executor: event.executor, at: event.time, evidence: evidence, harm: Evidence(event))
    }

    private func setFree(_ queue: Queue) {
        queue.isFree = true
        queue.waiting = [:]
        queue.last = [:]
        queue.findings = []
    }

    /// Findings that hold as long as the executor shows no second thread.
    override func standing(_ scene: WarningScene) -> [Finding] {
        queues.sorted { $0.key < $1.key }.flatMap(\.value.findings)
    }
}
