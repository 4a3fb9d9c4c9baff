import Foundation
import TaskEvents
import TaskRuntime

/// The joins of Bolts, which keep the order in which their inputs ended.
extension ChainTask<ObjectResult> {
    /// Ends when all inputs have ended; an error takes precedence over a cancellation. Calls `result` if all have succeeded.
    package static func all(
        _ inputs: [ChainTask], _ label: TaskLabel, _ result: @escaping @Sendable () -> Any?
    ) -> ChainTask {
        let tally = JoinTally(count: inputs.count)
        let join = ChainTask.join(of: inputs, label) { input in
            guard let ended = tally.note(input) else { return nil }
            return ended.failure ?? ended.cancelled.map(End.following) ?? .own(.success(ObjectResult(result())))
        }
        if inputs.isEmpty { join.end(.own(.success(ObjectResult(result())))) }
        return join
    }

    /// Ends with the first success; if there is none, a cancellation takes precedence over errors.
    package static func any(_ inputs: [ChainTask], _ label: TaskLabel) -> ChainTask {
        let tally = JoinTally(count: inputs.count)
        let join = ChainTask.join(of: inputs, label) { input in
            let ended = tally.note(input)
            if input.result != nil { return .following(input) }
            guard let ended, !ended.hasSucceeded else { return nil }
            return ended.cancelled.map(End.following) ?? ended.failure
        }
        if inputs.isEmpty { join.end(.own(.success(ObjectResult(nil)))) }
        return join
    }
}

/// Counts a join's inputs as they end, and keeps the failed and cancelled ones.
private final class JoinTally: Sendable {
    /// The inputs' outcomes.
    struct Ended {
        var remaining: Int
        var hasSucceeded = false
        /// Ordered by the times of their ends.
        var failed: [ChainTask<ObjectResult>] = []
        var cancelled: ChainTask<ObjectResult>?

        /// A single error unchanged, or the error that combines several.
        var failure: ChainTask<ObjectResult>.End? {
            guard let first = failed.first else { return nil }
            guard failed.count > 1 else { return .following(first) }
            let errors = failed.compactMap(\.unreadError)
            return .aggregate(
                NSError(
                    domain: AWSTaskErrorDomain, code: kAWSMultipleErrorsError, userInfo: [AWSTaskMultipleErrorsUserInfoKey: errors]))
        }
    }

    private let state: Guarded<Ended>

    init(count: Int) {
        state = Guarded(Ended(remaining: count))
    }

    /// Nil unless `task` is the last input to end.
    func note(_ task: ChainTask<ObjectResult>) -> Ended? {
        state.withLock { state in
            state.remaining -= 1
            if task.isFaulted {
                state.failed.append(task)
            } else if task.isCancelled {
                state.cancelled = state.cancelled ?? task
            } else {
                state.hasSucceeded = true
            }
            return state.remaining == 0 ? state : nil
        }
    }
}
