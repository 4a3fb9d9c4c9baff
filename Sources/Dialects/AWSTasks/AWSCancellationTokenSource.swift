import Foundation

/// Owns a token and cancels it. Any thread may use it.
public final class AWSCancellationTokenSource: NSObject, Sendable {
    /// The token to pass to the code that should stop.
    public let token = AWSCancellationToken()

    /// Whether the token is cancelled. Traps after disposal.
    public var isCancellationRequested: Bool { token.isCancellationRequested }

    /// Cancels the token, and returns when its observers have run. Traps after disposal.
    public func cancel() {
        token.cancel()
    }

    /// Cancels the token after `millis` milliseconds. 0 cancels at once; -1 stops the timer. A second call replaces the first.
    ///
    /// The original's timer fires only on a thread with a run loop; this one always fires. Traps below -1, and after disposal.
    public func cancel(afterDelay millis: Int32) {
        token.cancel(afterDelay: millis)
    }

    /// Makes source and token unusable and unregisters all observers. A second call does nothing.
    public func dispose() {
        token.dispose()
    }
}
