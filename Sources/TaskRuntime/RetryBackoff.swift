/// How long to wait before the next attempt of a retry.
public struct RetryBackoff: Sendable {
    private let pause: @Sendable (_ attempt: Int) -> Duration

    /// Whatever `pause` says. It is asked before each attempt but the first, for the number of the one that failed.
    public init(_ pause: @escaping @Sendable (_ failedAttempt: Int) -> Duration) {
        self.pause = pause
    }

    /// No pause.
    public static let none = RetryBackoff { _ in .zero }

    /// Always the same.
    public static func constant(_ pause: Duration) -> RetryBackoff {
        RetryBackoff { _ in pause }
    }

    /// `first` after the first attempt, each time `factor` times as long, and no longer than `limit`.
    public static func exponential(from first: Duration, factor: Double = 2, upTo limit: Duration = .seconds(60)) -> RetryBackoff {
        RetryBackoff { attempt in
            var pause = min(first, limit)
            for _ in 1..<max(1, attempt) where pause < limit { pause = min(pause * factor, limit) }
            return pause
        }
    }

    /// Nil for no pause.
    func pause(after attempt: Int) -> Duration? {
        let pause = pause(attempt)
        return pause > .zero ? pause : nil
    }
}
