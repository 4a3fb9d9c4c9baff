import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore

/// Tasks, or blocks, by the label of the place that created them.
private struct PlaceCounts {
    private struct Count {
        /// By the states of ``TaskTotals/outcomes``.
        var ended: [Int] = []
        /// How long the ended ones ran. Only of blocks.
        var busy: ShippedHistogram?
        /// The parts of the lives of the ended ones, by ``TaskTotals/parts``. Not of blocks.
        var parts: [ShippedHistogram] = []
        var isUsed = false

        mutating func add(_ life: TimeParts) {
            if parts.isEmpty { parts = Array(repeating: ShippedHistogram(), count: TaskTotals.parts.count) }
            for (index, part) in TaskTotals.parts.enumerated() {
                if let time = life[keyPath: part.time] { parts[index].add(time) }
            }
        }
    }

    /// By the label's number in the trace's table: most events are of few labels, and a dictionary would hash each.
    private var counts: [Count] = []
    /// Those of labels that were not in the table.
    private var others: [EntryID: Count] = [:]

    mutating func makeRoom(for known: Int) {
        if counts.count < known { counts += Array(repeating: Count(), count: known - counts.count) }
    }

    private mutating func change(_ label: EntryID, _ body: (inout Count) -> Void) {
        let number = Int(label.rawValue)
        if number < counts.count { body(&counts[number]) } else { body(&others[label, default: Count()]) }
    }

    /// Gives each label of a live task a series, which stays after the task's end.
    mutating func use(_ open: [EntryID: Int]) {
        for label in open.keys { change(label) { $0.isUsed = true } }
    }

    mutating func end(_ task: TaskView, _ parts: TimeParts?) {
        change(task.labelID) { count in
            if count.ended.isEmpty { count.ended = Array(repeating: 0, count: TaskTotals.outcomes.count) }
            if let outcome = TaskTotals.outcomes.firstIndex(of: ReportedTask.state(of: task)) { count.ended[outcome] += 1 }
            if task.id.isBlock, task.started != nil, let time = task.busy {
                var busy = count.busy ?? ShippedHistogram()
                busy.add(time)
                count.busy = busy
            }
            if let parts { count.add(parts) }
            count.isUsed = true
        }
    }

    /// Adds a point for each place. A label without tasks has no series. `open` is the number of live tasks of each label.
    func add(
        to points: inout PointTable, live: (metric: ShippedMetric, open: [EntryID: Int]), ended: ShippedMetric, busy: ShippedMetric?,
        _ store: TraceStore
    ) {
        let known = counts.enumerated().map { (EntryID(rawValue: UInt32($0)), $1) }
        for (label, count) in known + others.map({ ($0, $1) }) where count.isUsed {
            let site = store.site(of: label)
            points.add(live.metric, [site], 0)
            for (outcome, count) in zip(TaskTotals.outcomes, count.ended) where count > 0 {
                points.add(ended, [site, outcome.word], count)
            }
            if let busy, let times = count.busy { points.add(busy, [site], times) }
            for (part, times) in zip(TaskTotals.parts, count.parts) where times.count > 0 {
                points.add(.tasksTime, [site, part.name], times)
            }
        }
        // Apart from the loop, because a label can be in both tables.
        for (label, open) in live.open { points.add(live.metric, [store.site(of: label)], open) }
    }
}

/// Tasks and blocks by the places that created them. Each event of the trace is looked at once.
struct TaskTotals {
    private var tasks = PlaceCounts()
    private var blocks = PlaceCounts()
    /// The tasks that ended since the last collection and that no task continues.
    private var ends: [TaskID] = []
    private static let endLimit = 10_000
    /// The states of ended tasks. A trace may lack how a task ended.
    fileprivate static let outcomes: [DisplayedState] = [.succeeded, .faulted, .cancelled, .ended]

    /// The parts of a task's life. `ship` takes no samples, so it cannot tell a running task from one without a processor.
    fileprivate static let parts: [(name: String, time: KeyPath<TimeParts, UInt64?> & Sendable)] = [
        ("running", \.running), ("blocked", \.blocked), ("queued", \.queued), ("awaiting", \.awaiting),
    ]

    /// Takes the next events. Called after the store has applied them, so that it still has their tasks.
    mutating func take(_ events: [TaskEvent], _ store: TraceStore) {
        let known = Int(store.entries.count)
        tasks.makeRoom(for: known)
        blocks.makeRoom(for: known)
        for event in events { take(event, store) }
    }

    private mutating func take(_ event: TaskEvent, _ store: TraceStore) {
        switch event.kind {
        case .completed, .faulted, .cancelled:
            // The first end is final.
            guard let task = store.task(event.task), task.ended == event.time else { return }
            guard !task.id.isBlock else { return blocks.end(task, nil) }
            tasks.end(task, TimeParts(task, in: store))
            if ends.count < Self.endLimit, task.successors.first(where: { _ in true }) == nil { ends.append(task.id) }
        default:
            break
        }
    }

    mutating func add(to points: inout PointTable, _ store: TraceStore) {
        let open = Self.open(in: store)
        tasks.use(open.tasks)
        blocks.use(open.blocks)
        tasks.add(to: &points, live: (.tasksLive, open.tasks), ended: .tasksEnded, busy: nil, store)
        blocks.add(to: &points, live: (.blocksLive, open.blocks), ended: .blocksEnded, busy: .blocksBusy, store)
    }

    /// The tasks and the blocks that were created and have not ended, by their present labels. The store gives a task the label of its
    /// handler after the creation, so a sum of creations and ends would mix two labels.
    private static func open(in store: TraceStore) -> (tasks: [EntryID: Int], blocks: [EntryID: Int]) {
        var open: (tasks: [EntryID: Int], blocks: [EntryID: Int]) = ([:], [:])
        store.forEachBlock(includesBlocks: true) { block in
            for index in 0..<block.count {
                let task = block[index]
                guard !task.state.hasEnded, task.created != nil else { continue }
                if task.id.isBlock { open.blocks[task.labelID, default: 0] += 1 } else { open.tasks[task.labelID, default: 0] += 1 }
            }
        }
        return open
    }

    /// The chains in which a task ended since the last call, more than `limit` nanoseconds after the chain began.
    mutating func takeSlowChains(in store: TraceStore, over limit: UInt64) -> [TaskID] {
        defer { ends.removeAll(keepingCapacity: true) }
        var chains: Set<TaskID> = []
        for id in ends {
            guard let task = store.task(id), let ended = task.ended, let created = store.task(task.chain)?.created else { continue }
            if ended > created, ended - created > limit { chains.insert(task.chain) }
        }
        return chains.sorted()
    }
}

/// The durations of jobs, by executor.
struct JobTotals {
    /// By the executor's number.
    private var busy: [ShippedHistogram] = []
    private var seen = 0

    /// Takes the jobs that ended since the last call.
    mutating func follow(_ store: TraceStore) {
        let jobs = store.jobs
        jobs.read(from: seen, limit: .max) { job in
            let number = Int(job.executor.rawValue)
            while busy.count <= number { busy.append(ShippedHistogram()) }
            busy[number].add(job.duration)
        }
        seen = jobs.total
    }

    func add(to points: inout PointTable, _ store: TraceStore) {
        for executor in store.executors {
            let name = PrintableText.text(executor.name)
            points.add(.queueDepth, [name], executor.depth)
            var waits = ShippedHistogram()
            executor.waits.read { waits.add($0, times: $1) }
            points.add(.wait, [name], waits)
            let number = Int(executor.id.rawValue)
            points.add(.busy, [name], number < busy.count ? busy[number] : ShippedHistogram())
        }
    }
}

/// Faults by place, error type and verdict. A fault that the store has evicted keeps its last verdict.
struct FaultTotals {
    private struct Kind: Hashable {
        var label: EntryID
        var error: EntryID
        var verdict: Verdict
    }

    private var open: [TaskID: Kind] = [:]
    private var evicted: [Kind: Int] = [:]

    /// The faults whose verdict is new since ``takeNews()`` and final as far as the trace tells.
    private var news: [TaskID: FaultPath] = [:]
    private static let newsLimit = 1000
    /// The number of tasks that had ended at the last look, and of those that had failed.
    private var endedBefore = 0
    private var faultedBefore = 0

    /// Looks at the store's faults if it could evict one that ended since the last look. It keeps the last `endedTasks` ended tasks.
    mutating func followEnds(_ store: TraceStore, endedTasks: Int) {
        if store.taskCount - store.openCount - endedBefore >= endedTasks / 2 { follow(store) }
    }

    /// Looks at all faults of the store.
    mutating func follow(_ store: TraceStore) {
        endedBefore = store.taskCount - store.openCount
        let faulted = store.count(of: .faulted)
        // A program without errors needs no pass over the tasks.
        guard faulted > faultedBefore || !open.isEmpty else { return }
        faultedBefore = faulted
        var now: [TaskID: Kind] = [:]
        let analysis = FaultAnalysis(store, readers: ErrorReaders(store))
        // A fault whose origin was evicted is counted already.
        for fault in analysis.faults() where !analysis.isCutOff(fault) {
            let kind = Kind(label: store.task(fault.origin)?.labelID ?? .none, error: fault.error, verdict: fault.verdict)
            now[fault.origin] = kind
            guard fault.verdict != .pending, open[fault.origin]?.verdict != fault.verdict else { continue }
            if news.count < Self.newsLimit || news[fault.origin] != nil { news[fault.origin] = fault }
        }
        for (origin, kind) in open where now[origin] == nil && store.task(origin) == nil { evicted[kind, default: 0] += 1 }
        open = now
    }

    /// The faults with new verdicts, at most 1,000, in the order of their origins. Each is returned once.
    mutating func takeNews() -> [FaultPath] {
        defer { news.removeAll(keepingCapacity: true) }
        return news.values.sorted { $0.origin < $1.origin }
    }

    func add(to points: inout PointTable, _ store: TraceStore) {
        var counts = evicted
        for kind in open.values { counts[kind, default: 0] += 1 }
        for (kind, count) in counts {
            let type = PrintableText.text(store.entries.error(kind.error)?.type ?? "unknown")
            points.add(.faults, [store.site(of: kind.label), type, kind.verdict.name], count)
        }
    }
}

/// The findings that have been handed out.
struct FindingLog {
    private var reported: Set<Finding.Identity> = []
    private static let limit = 100_000

    mutating func new(in list: WarningList, _ store: TraceStore) -> [ReportedFinding] {
        list.groups.flatMap { group in
            group.findings.filter { reported.count < Self.limit && reported.insert($0.identity).inserted }
                .map { ReportedFinding($0, of: group, in: list, store) }
        }
    }
}

extension Finding {
    /// The properties by which a finding is recognized in a later batch.
    struct Identity: Hashable {
        let rule: String
        let task: TaskID
        let executor: ExecutorID
        let label: EntryID
    }

    fileprivate var identity: Identity {
        Identity(rule: rule, task: task, executor: executor, label: label)
    }
}
