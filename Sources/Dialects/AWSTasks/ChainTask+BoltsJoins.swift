import Foundation
import TaskEvents
import TaskRuntime

/// The joins of Bolts, which know the order in which their inputs ended.
extension ChainTask<ObjectResult> {
    /// Ends when all have ended; an error beats a cancellation. `result` is asked when all have succeeded.
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

    /// Ends with the first success; if there is none, a cancellation beats the errors.
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

/// Counts a join's inputs as they end, and keeps those that did not succeed.
private final class JoinTally: Sendable {
    /// What there is to know when the last one has ended.
    struct Ended {
        var remaining: Int
        var hasSucceeded = false
        /// In the order in which they ended.
        var failed: [ChainTask<ObjectResult>] = []
        var cancelled: ChainTask<ObjectResult>?

        /// One error as it is, several as one.
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

    /// Nil for all but the last one.
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
