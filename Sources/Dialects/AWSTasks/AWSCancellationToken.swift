import Foundation
import TaskEvents
import TaskRuntime

/// Tells the code that holds it whether to stop. Any thread may use it.
///
/// A token traps with the original's message if its source has been disposed of. So does a continuation that checks such a token.
public final class AWSCancellationToken: NSObject, Sendable {
    private struct State {
        var isCancelled = false
        var isDisposed = false
        var registrations: [AWSCancellationTokenRegistration] = []
        var timer: (any ScheduledTimer)?
        /// The current timer's number; a replaced timer that still fires has another number.
        var timerNumber = 0

        /// Returns the replaced timer.
        mutating func replaceTimer(by new: (any ScheduledTimer)? = nil) -> (any ScheduledTimer)? {
            defer { timer = new }
            return timer
        }
    }

    private let state = Guarded(State())

    override init() {}

    /// Whether the source has cancelled.
    public var isCancellationRequested: Bool {
        whileUsable(\.isCancelled)
    }

    /// Calls `block` when the token is cancelled, on the cancelling thread, in the order of registration.
    ///
    /// If the token is already cancelled, `block` is not called. The original's header promises a call, but its code makes none.
    @preconcurrency
    @discardableResult
    public func registerCancellationObserver(_ block: @escaping @Sendable () -> Void) -> AWSCancellationTokenRegistration {
        let registration = AWSCancellationTokenRegistration(token: self, block)
        // As in the original, a disposed token ignores registrations.
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
        let (observers, timer) = state.withLock { state in
            state.isDisposed = true
            defer { state.registrations = [] }
            return (state.registrations.map { $0.retire().observer }, state.replaceTimer())
        }
        // Observers are released after unlocking, because that may deinitialise an object that uses this token.
        withExtendedLifetime(observers) { timer?.cancel() }
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

/// An observer registered with a token. Any thread may use it. Releasing it does not unregister the observer.
public final class AWSCancellationTokenRegistration: NSObject, Sendable {
    private struct State {
        weak var token: AWSCancellationToken?
        /// Nil after disposal.
        var observer: (@Sendable () -> Void)?
    }

    private let state: Guarded<State>

    init(token: AWSCancellationToken, _ observer: @escaping @Sendable () -> Void) {
        state = Guarded(State(token: token, observer: observer))
    }

    /// Unregisters the observer. Does nothing the second time, or after the source was disposed of.
    public func dispose() {
        let retired = retire()
        withExtendedLifetime(retired.observer) { retired.token?.unregister(self) }
    }

    /// Forgets and returns the token that still lists it, and the observer, which the caller releases with no lock held.
    func retire() -> (token: AWSCancellationToken?, observer: (@Sendable () -> Void)?) {
        state.withLock { state in
            defer { state = State(token: nil, observer: nil) }
            return (state.token, state.observer)
        }
    }

    /// Calls the observer. As in the original, traps if an earlier observer of the same cancellation has disposed of this one.
    func notify() {
        guard let observer = state.withLock({ $0.observer }) else { fatalError("Object already disposed") }
        observer()
    }
}
