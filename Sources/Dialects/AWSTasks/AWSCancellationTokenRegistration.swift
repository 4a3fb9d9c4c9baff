import Foundation
import TaskEvents

/// An observer that waits for a token to be cancelled. Any thread may use it; letting it go does not take the observer back.
public final class AWSCancellationTokenRegistration: NSObject, Sendable {
    private struct State {
        weak var token: AWSCancellationToken?
        /// Nil once it is disposed of.
        var observer: (@Sendable () -> Void)?
    }

    private let state: Guarded<State>

    init(token: AWSCancellationToken, _ observer: @escaping @Sendable () -> Void) {
        state = Guarded(State(token: token, observer: observer))
    }

    /// Takes the observer back. The second time, and after its source was disposed of, nothing happens.
    public func dispose() {
        retire()?.unregister(self)
    }

    /// Forgets the observer; hands back the token that still has it in its list.
    @discardableResult
    func retire() -> AWSCancellationToken? {
        state.withLock { state in
            defer { state = State(token: nil, observer: nil) }
            return state.token
        }
    }

    /// Ends the program if an observer before it, of the same cancellation, has disposed of it; the original asserts the same.
    func notify() {
        guard let observer = state.withLock({ $0.observer }) else { fatalError("Object already disposed") }
        observer()
    }
}
