import Foundation

/// Where a cancellation comes from: keeps one token, and cancels it. Any thread may use it.
public final class AWSCancellationTokenSource: NSObject, Sendable {
    /// What is handed to those who should stop.
    public let token = AWSCancellationToken()

    /// Whether the token is cancelled. Ends the program if the source is disposed of.
    public var isCancellationRequested: Bool { token.isCancellationRequested }

    /// Cancels the token, unless it is cancelled. Returns when its observers have run. Ends the program if the source is disposed of.
    public func cancel() {
        token.cancel()
    }

    /// Cancels the token after so many milliseconds: at once for 0, and not any more for -1. A second call takes the first one's place.
    ///
    /// The original's timer fires only on a thread that runs a run loop; this one always does. Ends the program for less than -1, and if the
    /// source is disposed of.
    public func cancel(afterDelay millis: Int32) {
        token.cancel(afterDelay: millis)
    }

    /// Makes source and token unusable, and takes back what observers there are. The second time nothing happens.
    public func dispose() {
        token.dispose()
    }
}
