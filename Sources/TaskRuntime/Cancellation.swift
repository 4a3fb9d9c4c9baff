import DequeModule
import TaskEvents

/// Owns a token and cancels it. Any thread may use it.
public final class CancellationTokenSource: Sendable {
    /// The token to pass to the code that should stop.
    public let token = CancellationToken()

    /// Makes a source with a token that is not cancelled.
    public init() {}

    /// Cancels the token, unless it is already cancelled. Returns when the token's actions have run.
    public func cancel() {
        token.cancel()
    }

    /// Cancels the token after `delay`. Calls do not replace each other: the earliest one cancels the token.
    public func cancel(after delay: Duration) {
        _ = Timers.current.schedule(after: delay) { [token] in token.cancel() }
    }
}

/// Tells the code that holds it whether to stop. Any thread may use it.
public final class CancellationToken: Sendable {
    private struct State {
        var isCancelled = false
        var nextKey = 0
        /// Sorted by key, which is the order in which they were added.
        var actions: Deque<(key: Int, action: @Sendable () -> Void)> = []

        /// Returns whether this is the first cancellation.
        mutating func cancel() -> Bool {
            defer { isCancelled = true }
            return !isCancelled
        }

        mutating func remove(_ key: Int) {
            var range = actions.startIndex..<actions.endIndex
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                if actions[middle].key == key {
                    actions.remove(at: middle)
                    return
                }
                range = actions[middle].key < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
        }
    }

    private let state = Guarded(State())

    fileprivate init() {}

    /// Whether the source has cancelled the token.
    public var isCancellationRequested: Bool {
        Exploration.point()
        return state.withLock { $0.isCancelled }
    }

    /// Calls `action` when the token is cancelled, on the cancelling thread, after the actions added before it. If the token is already
    /// cancelled, calls `action` at once, on this thread. (Bolts documents this for its observers but does not do it.) Releasing the
    /// registration does not remove the action.
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
        Exploration.point()
        guard state.withLock({ $0.cancel() }) else { return }
        // Takes one action at a time, because an action may remove a later one.
        while let next = state.withLock({ $0.actions.popFirst() }) { next.action() }
    }

    fileprivate func remove(_ key: Int) {
        state.withLock { $0.remove(key) }
    }

    /// An action that waits for a token to be cancelled.
    public final class Registration: Sendable {
        private let token: CancellationToken
        private let key: Int?

        fileprivate init(token: CancellationToken, key: Int?) {
            self.token = token
            self.key = key
        }

        /// Removes the action. Has no effect once the action has begun, or on a second call.
        public func cancel() {
            if let key { token.remove(key) }
        }
    }
}
