import Foundation
import TaskEvents

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
        retire()?.unregister(self)
    }

    /// Releases the observer and returns the token that still lists it.
    @discardableResult
    func retire() -> AWSCancellationToken? {
        state.withLock { state in
            defer { state = State(token: nil, observer: nil) }
            return state.token
        }
    }

    /// Calls the observer. As in the original, traps if an earlier observer of the same cancellation has disposed of this one.
    func notify() {
        guard let observer = state.withLock({ $0.observer }) else { fatalError("Object already disposed") }
        observer()
    }
}
