import DequeModule
import TaskEvents

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
        var actions: Deque<(key: Int, action: @Sendable () -> Void)> = []

        /// Whether this is the first time.
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
        guard state.withLock({ $0.cancel() }) else { return }
        // One at a time: an action may take a later one back.
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

        /// Takes the action back; without effect once the action has begun, and the second time.
        public func cancel() {
            if let key { token.remove(key) }
        }
    }
}
