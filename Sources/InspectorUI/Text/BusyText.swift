import TraceStore

/// The share of the time in which an executor was busy: of one thread, or of as many as ran its jobs at a time. The trace does not tell how
/// many threads a pool has.
struct BusyText {
    /// Thousandths of the time of all these threads.
    let share: Int
    /// `12 %`, or the average number of busy threads: `1.7 of 2 threads`. `not known` of snapshots.
    let text: String

    init(_ executor: ExecutorView, until now: UInt64) {
        guard let busy = executor.busy else {
            (share, text) = (0, "not known")
            return
        }
        let threads = executor.threads
        let sum = now == 0 ? 0 : min(threads * 1000, Int((Double(busy) / Double(now) * 1000).rounded()))
        share = sum / threads
        if threads == 1 {
            text = sum > 0 && sum < 10 ? "< 1 %" : "\((sum + 5) / 10) %"
        } else {
            let tenths = (sum + 50) / 100
            text = threads < 10 ? "\(tenths / 10).\(tenths % 10) of \(threads) threads" : "\((tenths + 5) / 10) of \(threads) threads"
        }
    }
}
