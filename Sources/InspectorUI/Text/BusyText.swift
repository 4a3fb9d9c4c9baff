import TraceAnalysis
import TraceStore

/// The share of the time in which an executor was busy. Parallel jobs add up, so their sum is a number of threads: the average of those that
/// were busy. The trace does not tell how many threads a pool has.
struct BusyText {
    /// Thousandths of the time of one thread, or of the next whole number of threads.
    let share: Int
    let text: String

    init(_ executor: ExecutorView, until now: UInt64) {
        let sum = now == 0 ? 0 : Int((Double(executor.busy) / Double(now) * 1000).rounded())
        guard sum > 1000 else {
            (share, text) = (sum, sum > 0 && sum < 10 ? "< 1 %" : "\((sum + 5) / 10) %")
            return
        }
        let threads = (sum + 999) / 1000
        (share, text) = (sum / threads, "\(sum / 1000).\(sum % 1000 / 100) threads")
    }
}
