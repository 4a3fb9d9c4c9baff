import TaskEvents
import TaskRuntime

extension Inspector {
    /// Runs a body of chains in many orders of their jobs, and throws an order in which it fails.
    ///
    /// ```swift
    /// try await Inspector.explore(orders: 1_000) {
    ///     let cache = Cache()
    ///     try await ChainTask.whenAll([cache.load("a"), cache.load("a")]).value
    ///     guard cache.loads == 1 else { throw LoadedTwice() }
    /// }
    /// ```
    ///
    /// One job runs at a time, where it would run anyway. Others may overtake it where it gives a job to an executor, adds a continuation,
    /// sets a source, cancels or looks at a token, or waits. A timer may fire `early`, as if other work took longer. Time passes at once when
    /// nothing can run. The body fails if it throws, if a source is set twice, in a deadlock (nothing can run, and no timer is set), or if it
    /// does not end within 10 s of silence. When it has ended, everything that it began goes on to its end.
    ///
    /// The first failing order is replayed, made as short as the failure allows, and told in words. Its `ChainOrder` is a small text for a
    /// later ``replay(_:_:)``. Chains, their timers and waits, `async` bodies, child tasks and default actors take part. Threads of the
    /// program's own, blocks that it gives to Dispatch, `Task { }` and `MainActor` do not; their events are counted. A trap ends the process.
    ///
    /// Explorations and everything else in the process run beside one another: an exploration has no state in common with them, but for the
    /// queues that the body takes from elsewhere. A deadlock keeps the threads that wait in it. Available on any thread.
    ///
    /// - Parameters:
    ///   - orders: the most orders to try. The first is first come, first served.
    ///   - seed: the number that determines the second order; each following order has the next number.
    ///   - policy: how orders are chosen.
    ///   - early: how early a timer may fire.
    ///   - body: called once for each order, so it makes all of its objects anew.
    /// - Returns: what was tried, if no order failed. It does not say that the body is correct.
    /// - Throws: the `FailingChainOrder`, or `CancellationError` if the calling task is cancelled.
    @discardableResult
    public static func explore(
        orders: Int = 1_000, seed: UInt64 = 1, policy: ExplorationPolicy = .pct(depth: 3), early: Duration = .milliseconds(20),
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> ExplorationResult {
        try await explore(orders: orders, seed: seed, policy: policy, early: early, body) { _ in true }
    }

    /// Like ``explore(orders:seed:policy:early:_:)``, for a body with a value.
    ///
    /// - Parameters:
    ///   - orders: the most orders to try. The first is first come, first served.
    ///   - seed: the number that determines the second order; each following order has the next number.
    ///   - policy: how orders are chosen.
    ///   - early: how early a timer may fire.
    ///   - body: called once for each order, so it makes all of its objects anew.
    ///   - expecting: whether the value is right; an order in which it is not fails. Called right after the body.
    /// - Returns: what was tried, if no order failed.
    /// - Throws: the `FailingChainOrder`, or `CancellationError` if the calling task is cancelled.
    @discardableResult
    public static func explore<Value: Sendable>(
        orders: Int = 1_000, seed: UInt64 = 1, policy: ExplorationPolicy = .pct(depth: 3), early: Duration = .milliseconds(20),
        _ body: @escaping @Sendable () async throws -> Value, expecting: @escaping @Sendable (Value) throws -> Bool
    ) async throws -> ExplorationResult {
        var exploration = ChainExploration(TimeSource(), policy: policy, early: early, body, expecting: expecting)
        return try await exploration.search(orders: orders, seed: seed)
    }

    /// Runs a body in an order that an exploration has found, as a test that it does not fail any more.
    ///
    /// ```swift
    /// try await Inspector.replay(ChainOrder(String(contentsOfFile: "cache.order"))!) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - order: the order, as a failing exploration has told it.
    ///   - body: the body that failed in it.
    /// - Returns: what was tried, if the order does not fail.
    /// - Throws: the `FailingChainOrder` if it does.
    @discardableResult
    public static func replay(_ order: ChainOrder, _ body: @escaping @Sendable () async throws -> Void) async throws -> ExplorationResult {
        var exploration = ChainExploration(TimeSource(), policy: .fifo, early: .zero, body) { _ in true }
        return try await exploration.replay(order)
    }
}
