import TaskEvents
import TraceStore

/// How many of an executor's jobs may run at once.
enum Concurrency: Hashable, Sendable {
    case serial
    /// Unknown. The executor counts as serial until two of its jobs run at once.
    case unknown
    case pool

    init(_ kind: ExecutorKind) {
        switch kind {
        case .main, .actor: self = .serial
        case .queue, .operationQueue, .custom, .loop: self = .unknown
        case .pool, .global, .immediate, .default: self = .pool
        }
    }
}

/// The lanes of one executor: one, or one for each thread.
struct ExecutorLanes {
    let executor: ExecutorID
    private var concurrency: Concurrency
    /// By thread. A serial executor's jobs are all in the first line.
    private var lines: [(lane: Int, jobs: JobLine)] = []
    private(set) var depths = DepthLine()
    /// Whether earlier depths are not kept.
    var depthsAreCut = false
    /// Whether the queue's depth has a line.
    var showsQueue = false
    /// The row of the executor's first line.
    var firstRow: Int?
    /// The last job's thread and end, and the last end on another thread.
    private var last: (lane: Int, until: UInt64, elsewhere: UInt64)?

    init(_ executor: ExecutorID, _ concurrency: Concurrency) {
        self.executor = executor
        self.concurrency = concurrency
    }

    var rows: [SwimTrack.ID] {
        let ids: [SwimTrack.ID] =
            switch concurrency {
            case .serial, .unknown: [.executor(executor)]
            case .pool where lines.isEmpty: executor == .none ? [] : [.executor(executor)]
            case .pool: lines.map { .thread(executor, lane: $0.lane) }
            }
        return ids + (showsQueue ? [.queue(executor)] : [])
    }

    func jobs(of id: SwimTrack.ID) -> JobLine? {
        switch id {
        case .executor: lines.first?.jobs
        case .thread(_, let lane): index(of: lane).map { lines[$0].jobs }
        case .queue: nil
        }
    }

    /// True if the lanes are others than before.
    mutating func add(_ job: JobRecord) -> Bool {
        let count = lines.count
        let lane = Int(job.lane)
        if concurrency == .unknown, let last {
            if job.since < (lane == last.lane ? last.elsewhere : last.until) { divide() }
        }
        last = (lane, job.until, last.map { lane == $0.lane ? $0.elsewhere : max($0.elsewhere, $0.until) } ?? 0)
        let index = line(of: concurrency == .pool ? lane : 0)
        lines[index].jobs.append(job)
        return lines.count != count
    }

    /// Removes the oldest job, which ran on this thread.
    mutating func removeFirst(lane: Int) -> JobRecord? {
        guard let index = index(of: concurrency == .pool ? lane : 0), !lines[index].jobs.isEmpty else { return nil }
        let job = lines[index].jobs[lines[index].jobs.first]
        lines[index].jobs.removeFirst()
        return job
    }

    mutating func add(_ step: DepthStep) {
        // A late record counts from the latest known time on.
        var step = step
        if let last = depths.last { step.at = max(step.at, last.at) }
        depths.append(step)
    }

    mutating func removeFirstStep() {
        depths.removeFirst()
        depthsAreCut = true
    }

    /// Notes a running job's thread, and that of another one that runs now. True if the lanes are others than before.
    mutating func noteRunning(on lane: Int, besides other: Int?) -> Bool {
        let count = lines.count
        if concurrency == .unknown, let other, other != lane { divide() }
        if concurrency == .pool { _ = line(of: lane) }
        return lines.count != count
    }

    /// Gives each thread a line of its own.
    private mutating func divide() {
        concurrency = .pool
        let jobs = lines.first?.jobs
        lines = []
        jobs?.visit { _, _ in
            false
        } _: { job in
            let index = line(of: Int(job.lane))
            lines[index].jobs.append(job)
        }
    }

    private func index(of lane: Int) -> Int? {
        let index = lines.partitioningIndex { $0.lane >= lane }
        return index < lines.count && lines[index].lane == lane ? index : nil
    }

    private mutating func line(of lane: Int) -> Int {
        let index = lines.partitioningIndex { $0.lane >= lane }
        if index == lines.count || lines[index].lane != lane { lines.insert((lane, JobLine()), at: index) }
        return index
    }
}
