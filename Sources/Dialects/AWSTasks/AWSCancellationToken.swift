import Foundation
import TaskEvents
import TaskRuntime

/// Says whether what it was handed to should stop. Any thread may use it.
///
/// To ask a token whose source is disposed of ends the program, in the original's words. So does a continuation that holds one, once it asks.
public final class AWSCancellationToken: NSObject, Sendable {
    private struct State {
        var isCancelled = false
        var isDisposed = false
        var registrations: [AWSCancellationTokenRegistration] = []
        var timer: (any ScheduledTimer)?
        /// Counts the timers: one that was replaced as it fired is late.
        var timerNumber = 0

        /// Hands back the timer that does not count any more.
        mutating func replaceTimer(by new: (any ScheduledTimer)? = nil) -> (any ScheduledTimer)? {
            defer { timer = new }
            return timer
        }
    }

    private let state = Guarded(State())

    override init() {}

    /// Whether the source has been told to cancel.
    public var isCancellationRequested: Bool {
        whileUsable(\.isCancelled)
    }

    /// Has `block` called when the token is cancelled, on the thread that cancels it, after those registered before.
    ///
    /// If the token **is** cancelled, `block` is not called: the original's header promises it, and its code does not do it.
    @preconcurrency
    @discardableResult
    public func registerCancellationObserver(_ block: @escaping @Sendable () -> Void) -> AWSCancellationTokenRegistration {
        let registration = AWSCancellationTokenRegistration(token: self, block)
        // A disposed token has no list any more, and in the original nothing happens then.
        state.withLock { if !$0.isDisposed { $0.registrations.append(registration) } }
        return registration
    }

    // MARK: For its source

    func cancel() {
        let (registrations, timer) = whileUsable { state -> ([AWSCancellationTokenRegistration], (any ScheduledTimer)?) in
            guard !state.isCancelled else { return ([], nil) }
            state.isCancelled = true
            return (state.registrations, state.replaceTimer())
        }
        timer?.cancel()
        for registration in registrations { registration.notify() }
    }

    func cancel(afterDelay millis: Int32) {
        whileUsable { _ in }
        if millis < -1 { fatalError("Delay must be >= -1") }
        if millis == 0 { return cancel() }
        let replaced = whileUsable { state -> (any ScheduledTimer)? in
            state.timerNumber += 1
            guard !state.isCancelled, millis > 0 else { return state.replaceTimer() }
            let timer = Timers.current.schedule(after: .milliseconds(millis)) { [weak self, number = state.timerNumber] in
                self?.timeIsUp(number)
            }
            return state.replaceTimer(by: timer)
        }
        replaced?.cancel()
    }

    private func timeIsUp(_ number: Int) {
        if state.withLock({ !$0.isDisposed && $0.timerNumber == number }) { cancel() }
    }

    func dispose() {
        let timer = state.withLock { state in
            state.isDisposed = true
            for registration in state.registrations { registration.retire() }
            state.registrations = []
            return state.replaceTimer()
        }
        timer?.cancel()
    }

    // MARK: For its registrations

    func unregister(_ registration: AWSCancellationTokenRegistration) {
        whileUsable { state in state.registrations.removeAll { $0 === registration } }
    }

    private func whileUsable<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            if state.isDisposed { fatalError("Object already disposed") }
            return body(&state)
        }
    }
}
