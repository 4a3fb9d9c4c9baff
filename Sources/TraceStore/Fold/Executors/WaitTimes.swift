import Histogram
import TaskEvents

/// The times that jobs waited in a queue before they ran, in nanoseconds, with a relative error of at most a thousandth.
package struct WaitTimes: Sendable {
    private var histogram: Histogram<UInt32>?

    package init() {}

    package mutating func record(_ wait: UInt64) {
        // The histogram's memory grows with the longest wait, so waits are capped at an hour.
        let wait = min(wait, 3_600_000_000_000)
        // Optional chaining tests for nil without copying the histogram; a comparison would copy it.
        guard histogram?.record(wait) == nil else { return }
        // Made as large as the first wait needs, because to grow costs far more than to make.
        var first = Histogram<UInt32>(highestTrackableValue: Swift.max(2, wait), numberOfSignificantValueDigits: .three)
        first.autoResize = true
        first.record(wait)
        histogram = first
    }

    var bytes: Int { histogram?.estimatedFootprintInBytes ?? 0 }
    package var count: Int { Int(histogram?.totalCount ?? 0) }
    package var p50: UInt64? { percentile(50) }
    package var p99: UInt64? { percentile(99) }

    /// The longest wait.
    package var max: UInt64? { count > 0 ? histogram?.maxRecorded : nil }

    /// Calls `body` with each recorded duration and the number of waits of that duration, the shortest first.
    package func read(_ body: (_ nanoseconds: UInt64, _ count: UInt64) -> Void) {
        guard let histogram else { return }
        for recorded in histogram.recordedValues() { body(recorded.value, UInt64(recorded.count)) }
    }

    /// The shortest wait that at least `percent` percent of the waits did not exceed; nil before the first wait.
    package func percentile(_ percent: Double) -> UInt64? {
        guard let histogram, histogram.totalCount > 0 else { return nil }
        return min(histogram.valueAtPercentile(percent), histogram.maxRecorded)
    }
}

/// The wait of a job in a queue, from its enqueuing to its start.
package struct FinishedWait: Hashable, Sendable {
    package var task: TaskID
    package var executor: ExecutorID
    package var end: UInt64
    package var nanoseconds: UInt64

    package var start: UInt64 { end - nanoseconds }
}
