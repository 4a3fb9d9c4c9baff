import TaskEvents
import TraceStore
import TraceTransport

/// The number of jobs that each executor of a trace ran at once.
struct ExecutorWidths {
    /// Executors that made jobs wait. Others seem to have no limit.
    private(set) var widths: JobReplay.Widths = [:]
    /// An executor with a thread per processor that made jobs wait while all of them ran. Nil if there is none.
    private(set) var limitedByProcessors: ExecutorID?

    /// An executor of several threads has a limit if its jobs waited for at least this share of the time that they ran.
    private static let waitingShare = 0.05
    /// The processors were the limit if the jobs of Swift's pool waited for this share of the time that they ran.
    private static let limitedShare = 0.25

    init(_ graph: JobGraph, _ store: TraceStore) {
        struct Use {
            var changes: [(time: UInt64, change: Int)] = []
            var waited: UInt64 = 0
            var ran: UInt64 = 0

            mutating func add(waited: UInt64, ran: UInt64) {
                (self.waited, self.ran) = (self.waited.plus(waited), self.ran.plus(ran))
            }
        }
        var uses: [ExecutorID: Use] = [:]
        for job in graph.jobs where !job.isInline && job.executor != .none {
            uses[job.executor, default: Use()].changes += [(job.start, 1), (job.end, -1)]
            uses[job.executor, default: Use()].add(waited: job.start - job.queued, ran: job.duration)
        }
        for (executor, use) in uses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            var (now, most) = (0, 1)
            for change in use.changes.sorted(by: { ($0.time, $0.change) < ($1.time, $1.change) }) {
                now += change.change
                most = max(most, now)
            }
            let share = use.ran == 0 ? 0 : Double(use.waited) / Double(use.ran)
            let kind = store.description(of: executor).kind
            let isSerial = most == 1 && kind != .global && kind != .pool
            if isSerial || share >= Self.waitingShare { widths[executor] = most }
            if kind == .global, share >= Self.limitedShare { limitedByProcessors = executor }
        }
    }
}
