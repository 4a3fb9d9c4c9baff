import TaskEvents
import TraceStore
import TraceTransport

/// The number of jobs that each executor of a trace ran at once.
struct ExecutorWidths {
    /// Executors that made jobs wait. Others seem to have no limit.
    private(set) var widths: JobReplay.Widths = [:]
    /// An executor with a thread per processor that made jobs wait while all of them ran. Nil if there is none.
    private(set) var limitedByProcessors: ExecutorID?

    /// An executor has a limit if its jobs waited for a turn for at least this share of the time that they ran.
    private static let waitingShare = 0.05
    /// The processors were the limit if the jobs of Swift's pool waited for this share of the time that they ran.
    private static let limitedShare = 0.25
    /// But not if they waited for less than this share of the time that the chains took: a job that runs for microseconds often waits
    /// longer, until a thread of the pool is awake.
    private static let noticedShare = 0.05

    /// For each job, the time from its turn until its start: until its thread was awake and had taken it from the queue.
    private(set) var delays: [UInt64]

    /// - Parameter chainTime: the sum of the times that the chains took.
    init(_ graph: JobGraph, _ store: TraceStore, chainTime: UInt64) {
        delays = graph.jobs.map { $0.isInline ? 0 : $0.start - $0.queued }
        var uses: [ExecutorID: [Int]] = [:]
        for (index, job) in graph.jobs.enumerated() where !job.isInline && job.executor != .none {
            uses[job.executor, default: []].append(index)
        }
        for (executor, jobs) in uses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let jobs = jobs.map { (index: $0, job: graph.jobs[$0]) }.sorted { ($0.job.start, $0.index) < ($1.job.start, $1.index) }
            let most = Self.most(jobs.map(\.job))
            let waited = takeTurns(jobs, width: most)
            let ran = jobs.reduce(0 as UInt64) { $0.plus($1.job.duration) }
            let share = ran == 0 ? 0 : Double(waited) / Double(ran)
            let kind = store.description(of: executor).kind
            if most == 1 && Self.isSerial(kind) || share >= Self.waitingShare { widths[executor] = most }
            if kind == .global, share >= Self.limitedShare, Double(waited) >= Double(chainTime) * Self.noticedShare {
                limitedByProcessors = executor
            }
        }
    }

    /// Whether an executor of which the trace shows no two jobs at once has no more than one.
    private static func isSerial(_ kind: ExecutorKind?) -> Bool {
        switch kind {
        case .main, .queue, .operationQueue, .actor, .loop: true
        case .immediate, .default, .pool, .custom, .global, nil: false
        }
    }

    /// The largest number of jobs that ran at once.
    private static func most(_ jobs: [JobGraph.Job]) -> Int {
        let changes = jobs.flatMap { [(time: $0.start, change: 1), (time: $0.end, change: -1)] }
        var (now, most) = (0, 1)
        for change in changes.sorted(by: { ($0.time, $0.change) < ($1.time, $1.change) }) {
            now += change.change
            most = max(most, now)
        }
        return most
    }

    /// Finds the turn of each of an executor's jobs. Returns the sum of the times that they waited for it.
    private mutating func takeTurns(_ jobs: [(index: Int, job: JobGraph.Job)], width: Int) -> UInt64 {
        var ends = EarliestFirst<UInt64>()
        var waited: UInt64 = 0
        for (index, job) in jobs {
            let free = ends.count < width ? 0 : ends.removeFirst() ?? 0
            let turn = min(max(job.queued, free), job.start)
            delays[index] = job.start - turn
            waited = waited.plus(turn - job.queued)
            ends.insert(job.end)
        }
        return waited
    }
}
