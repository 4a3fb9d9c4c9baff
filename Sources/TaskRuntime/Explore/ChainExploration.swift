import Synchronization
import TaskEvents

/// The search for an order in which a body fails. It belongs to one call of `Inspector.explore`, and keeps nothing in the process.
package struct ChainExploration {
    /// A body, and what its value is to be.
    package typealias Body<Value> = @Sendable () async throws -> Value

    private let body: @Sendable () async throws -> Void
    private var settings: OrderedSettings
    private let knowledge = OrderedKnowledge()
    // As many threads as the body's order needs.
    private let workers = WorkerPool(name: "hopscope explore", width: 4_096)
    private var result = ExplorationResult()
    private let bodies = OrderedBodies()

    private struct Outcome {
        let ending: OrderedEnding
        let choices: [OrderState.Choice]

        /// The choices that differ from first come, first served.
        var deviations: [OrderState.Choice] { choices.filter { $0.picked != 0 } }
    }

    /// - Parameter expecting: whether the body's value is right.
    package init<Value: Sendable>(
        _ clock: TimeSource, policy: ExplorationPolicy, early: Duration, _ body: @escaping Body<Value>,
        expecting: @escaping @Sendable (Value) throws -> Bool
    ) {
        settings = OrderedSettings(clock: clock, policy: policy, early: early)
        self.body = {
            let value = try await body()
            guard try expecting(value) else { throw OrderedExpectation(text: "\(value)") }
        }
    }

    // MARK: Searching

    /// Tries orders until one fails.
    ///
    /// - Throws: the ``FailingChainOrder``, or `CancellationError` if the calling Swift task is cancelled.
    package mutating func search(orders most: Int, seed: UInt64) async throws -> ExplorationResult {
        let usual = try await usualOutcome()
        result.orders = 1
        guard !usual.ending.isFailure else { throw try await reported([], usual.ending, seed: seed) }
        guard settings.policy != .fifo else { return result }
        settings.length = max(16, usual.choices.count + usual.choices.count / 2)
        while result.orders < most {
            let seed = seed &+ UInt64(result.orders - 1)
            let outcome = try await run(.seed(seed))
            result.orders += 1
            guard outcome.ending.isFailure else { continue }
            let plan = outcome.deviations.map(\.deviation)
            guard try await ends(plan, outcome.ending) else {
                result.unconfirmed += 1
                continue
            }
            let (shortest, found) = try await shortest(shrunk(plan, outcome.ending), outcome.ending, seed: seed)
            throw try await reported(shortest, outcome.ending, seed: found)
        }
        return result
    }

    /// The shortest order that fails alike, among the one that was found at `seed` and those of some later seeds, if it is long.
    private mutating func shortest(
        _ plan: [ChainOrder.Deviation], _ ending: OrderedEnding, seed: UInt64
    ) async throws -> ([ChainOrder.Deviation], seed: UInt64) {
        var best = (plan, seed: seed)
        for next in 1...12 where best.0.count > 3 {
            let seed = seed &+ UInt64(next)
            let outcome = try await run(.seed(seed))
            guard outcome.ending.isLike(ending) else { continue }
            let shorter = try await shrunk(outcome.deviations.map(\.deviation), ending)
            if shorter.count < best.0.count, try await ends(shorter, ending) { best = (shorter, seed) }
        }
        return best
    }

    /// Replays a kept order, which must not fail.
    ///
    /// - Throws: the ``FailingChainOrder`` if it still fails, in whatever way.
    package mutating func replay(_ order: ChainOrder) async throws -> ExplorationResult {
        settings.early = order.early
        result.orders = 1
        let outcome = try await run(.plan(order.deviations))
        guard outcome.ending.isFailure else { return result }
        throw try await reported(order.deviations, outcome.ending, seed: order.seed)
    }

    /// The order that is first come, first served. Once more if it has shown what comes from outside, because that changes what it waits for.
    private mutating func usualOutcome() async throws -> Outcome {
        let outcome = try await run(.plan([]))
        return outcome.ending.isFailure && result.eventsFromOutside > 0 ? try await run(.plan([])) : outcome
    }

    /// The deviations without those that the failure does not need.
    private mutating func shrunk(_ plan: [ChainOrder.Deviation], _ ending: OrderedEnding) async throws -> [ChainOrder.Deviation] {
        var shortening = Shortening(plan)
        while let candidate = shortening.candidate { shortening.note(failed: try await ends(candidate, ending)) }
        return shortening.kept
    }

    private mutating func ends(_ plan: [ChainOrder.Deviation], _ ending: OrderedEnding) async throws -> Bool {
        try await run(.plan(plan)).ending.isLike(ending)
    }

    private mutating func reported(
        _ plan: [ChainOrder.Deviation], _ ending: OrderedEnding, seed: UInt64
    ) async throws -> FailingChainOrder {
        let replays = 20
        var same = 0
        var last: Outcome?
        for _ in 0..<replays {
            let outcome = try await run(.plan(plan))
            guard outcome.ending.isLike(ending) else { continue }
            same += 1
            last = outcome
        }
        let deviations = last?.deviations ?? []
        let steps = deviations.map(\.words)
        let early = deviations.compactMap(\.early).reduce(.zero, +)
        return FailingChainOrder(
            order: ChainOrder(ending, settings, seed: seed, plan, notes: steps), failure: (last?.ending ?? ending).sentence,
            number: result.orders, sameReplays: same, replays: replays, steps: steps,
            condition: early > .zero ? "It needs work that takes \(early.inMilliseconds) longer than it usually does." : nil,
            result: result)
    }

    /// Returns when every body has ended. An order that was cut short goes on without the search; the body of a deadlock never ends.
    package func bodiesEnded() async { await bodies.wait() }

    // MARK: One order

    private mutating func run(_ way: OrderedChooser.Way) async throws -> Outcome {
        try Task.checkCancellation()
        let run = await withCheckedContinuation { ended in
            OrderedRun(way, settings, knowledge, workers) { ended.resume(returning: $0) }.start(OrderedBody(body), of: bodies)
        }
        result.choices += run.choices.count
        result.eventsFromOutside += run.outside
        if run.ending == .cutShort { result.cutShort += 1 }
        return Outcome(ending: run.ending, choices: run.choices)
    }
}

extension OrderState.Choice {
    /// The choice in words: which strand runs instead of which, and when.
    fileprivate var words: String {
        let action = early.map { "a timer fires \($0.inMilliseconds) early" } ?? "\(next) runs instead of \(usual)"
        let moment = here.map { "while \(runner) is at \($0)" } ?? "while \(runner) runs"
        return "\(action), \(isOvertaken ? moment : "after \(runner)")"
    }
}

extension Duration {
    /// In milliseconds, with one decimal place.
    fileprivate var inMilliseconds: String {
        let tenths = max(0, nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
