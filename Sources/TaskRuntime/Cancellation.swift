import Synchronization

/// Where a cancellation comes from: keeps one token, and cancels it. Any thread may use it.
public final class CancellationTokenSource: Sendable {
    public let token = CancellationToken()

    public init() {}

    /// Cancels the token, unless it is already cancelled. Returns when the token's actions have run.
    public func cancel() {
        token.cancel()
    }

    /// Cancels the token when `delay` has passed. Other calls, earlier or later, stay as they are: the first to come cancels.
    public func cancel(after delay: Duration) {
        _ = Timers.current.schedule(after: delay) { [token] in token.cancel() }
    }
}

/// Says whether what it was handed to should stop. Any thread may use it.
public final class CancellationToken: Sendable {
    private struct State {
        var isCancelled = false
        var nextKey = 0
        /// In the order of their keys, which is the order they were added.
        var actions: [(key: Int, action: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    fileprivate init() {}

    public var isCancellationRequested: Bool {
        state.withLock { $0.isCancelled }
    }

    /// Has `action` called when the token is cancelled, on the thread that cancels it, after those added before; here and now if it is.
    /// (Bolts says the latter of its observers and does not do it.) Letting the registration go does not take the action back.
    @discardableResult
    public func onCancel(_ action: @escaping @Sendable () -> Void) -> Registration {
        let key = state.withLock { state -> Int? in
            guard !state.isCancelled else { return nil }
            state.nextKey += 1
            state.actions.append((state.nextKey, action))
            return state.nextKey
        }
        if key == nil { action() }
        return Registration(token: self, key: key)
    }

    fileprivate func cancel() {
        let actions = state.withLock { state in
            defer { state.actions = [] }
            state.isCancelled = true
            return state.actions
        }
        for (_, action) in actions { action() }
    }

    fileprivate func remove(_ key: Int) {
        state.withLock { state in
            // Keys rise, and most that leave are old or new: look from both ends.
            if state.actions.last?.key == key {
                state.actions.removeLast()
            } else if let index = state.actions.firstIndex(where: { $0.key == key }) {
                state.actions.remove(at: index)
            }
        }
    }

    /// An action that waits for a token to be cancelled.
    public final class Registration: Sendable {
        private let token: CancellationToken
        private let key: Int?

        fileprivate init(token: CancellationToken, key: Int?) {
            self.token = token
            self.key = key
        }

        /// Takes the action back; without effect once the token is cancelled, and the second time.
        public func cancel() {
            if let key { token.remove(key) }
        }
    }
}
