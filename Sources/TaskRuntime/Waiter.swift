import Dispatch

/// A thread that blocks until a task has ended.
final class Waiter: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() {
        semaphore.wait()
    }

    /// False if the time ran out first.
    func wait(timeout: Duration) -> Bool {
        semaphore.wait(timeout: .now() + .nanoseconds(timeout.nanoseconds)) == .success
    }

    func wake() {
        semaphore.signal()
    }
}

extension Duration {
    /// Whole nanoseconds; what is longer than 292 years counts as that long.
    var nanoseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return seconds < 0 ? .min : .max }
        let (sum, isTooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooMuch ? (seconds < 0 ? .min : .max) : Int(sum)
    }
}
