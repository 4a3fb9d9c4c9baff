import TaskEvents

/// Work that is repeated when it fails.
extension ChainTask {
    /// Calls `body` with 1, and after each failure with the next number, until an attempt succeeds or `times` attempts have been made.
    /// Traps unless `times` is positive.
    ///
    /// The returned task ends like the last attempt. Each attempt is a task on `executor`; its name is `name` and its number. It is made
    /// only when the previous attempt has failed, so `times` may be `.max`. It runs after the pause that `backoff` returns. From the second
    /// on, an attempt belongs to a continuation that receives the previous attempt's error, so the trace shows which task received which
    /// error. A cancelled attempt ends the retry. Cancelling the token ends the retry at once, even during a pause.
    @discardableResult
    public static func retry(
        times: Int, backoff: RetryBackoff = .none, on executor: ChainExecutor = .default, name: String? = nil,
        cancellation: CancellationToken? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (_ attempt: Int) throws -> Value
    ) -> ChainTask<Value> {
        let name = name ?? "\(function)"
        return retrying(times, backoff, name, cancellation, fileID, line) { attempt, beginning in
            beginning.continueOnSuccessWith(
                on: executor, name: "\(name) \(attempt)", cancellation: cancellation, fileID: fileID, line: line
            ) { try body(attempt) }
        }
    }

    /// Like ``retry(times:backoff:on:name:cancellation:fileID:line:function:_:)``, with a body that returns the task that the attempt
    /// follows.
    @discardableResult
    public static func retryTask(
        times: Int, backoff: RetryBackoff = .none, on executor: ChainExecutor = .default, name: String? = nil,
        cancellation: CancellationToken? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (_ attempt: Int) throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let name = name ?? "\(function)"
        return retrying(times, backoff, name, cancellation, fileID, line) { attempt, beginning in
            beginning.continueOnSuccessWithTask(
                on: executor, name: "\(name) \(attempt)", cancellation: cancellation, fileID: fileID, line: line
            ) { try body(attempt) }
        }
    }

    private static func retrying(
        _ times: Int, _ backoff: RetryBackoff, _ name: String, _ cancellation: CancellationToken?, _ fileID: StaticString, _ line: UInt,
        _ attempt: @escaping @Sendable (_ number: Int, _ beginning: ChainTask<Void>) -> ChainTask<Value>
    ) -> ChainTask<Value> {
        precondition(times > 0, "'\(name)' cannot be tried \(times) times; the least is one.")
        let immediate = ChainExecutor.immediate
        let result = ChainTask(rootOn: immediate, name, fileID, line, #function)
        if let cancellation { result.obey(cancellation) }
        guard result.begin() else { return result }
        Emit.started(result.id, on: immediate.core.id, .inline)
        result.awaitInner()
        let attempts = Attempts(result: result, times: times) { failed, number in
            failed.continueOnErrorWithTask(
                on: .immediate, name: "\(name) after \(number)", cancellation: cancellation, fileID: fileID, line: line
            ) { _ in
                guard let pause = backoff.pause(after: number) else {
                    return attempt(number + 1, ChainTask<Void>((), name: name, fileID: fileID, line: line))
                }
                let delay = ChainTask<Void>.delay(pause, cancellation: cancellation, name: "back-off", fileID: fileID, line: line)
                return attempt(number + 1, delay)
            }
        }
        let first = attempt(1, ChainTask<Void>((), name: name, fileID: fileID, line: line))
        Trampoline.run { attempts.follow(first, number: 1, &$0) }
        return result
    }
}

/// The attempts of one retry. Each is made when the previous one has failed, so their number needs no bound.
private struct Attempts<Value: Sendable>: Sendable {
    /// Ends like the last attempt.
    let result: ChainTask<Value>
    let times: Int
    /// Makes the task that receives the error of attempt `number` and ends like the next attempt.
    let next: @Sendable (_ failed: ChainTask<Value>, _ number: Int) -> ChainTask<Value>

    /// Waits for attempt `number`. This is a loop, because recursion would grow the stack with each attempt that fails at once.
    func follow(_ attempt: ChainTask<Value>, number: Int, _ trampoline: inout Trampoline) {
        var attempt = attempt, number = number
        while true {
            if !attempt.isCompleted {
                Emit.suspended(result.id, .innerTask, awaiting: attempt.id)
                var follower: Follower? = Follower { [attempt, number] _, _, trampoline in
                    guard !result.isCompleted else { return .over }
                    Emit.resumed(result.id)
                    follow(attempt, number: number, &trampoline)
                    return .over
                }
                if attempt.addIfPending(&follower) { return }
                Emit.resumed(result.id)
            }
            guard attempt.isFaulted, number < times, !result.isCompleted else { break }
            attempt = next(attempt, number)
            number += 1
        }
        guard !result.isCompleted else { return }
        Emit.antecedent(attempt.id, of: result.id, role: .inner)
        result.end(as: attempt, &trampoline)
    }
}

/// The pauses between the attempts of a retry.
public struct RetryBackoff: Sendable {
    private let pause: @Sendable (_ attempt: Int) -> Duration

    /// Pauses for the time that `pause` returns for the number of the failed attempt. `pause` is called before each attempt except the
    /// first.
    public init(_ pause: @escaping @Sendable (_ failedAttempt: Int) -> Duration) {
        self.pause = pause
    }

    /// No pause.
    public static let none = RetryBackoff { _ in .zero }

    /// The same pause before each attempt except the first.
    public static func constant(_ pause: Duration) -> RetryBackoff {
        RetryBackoff { _ in pause }
    }

    /// Pauses for `first` after the first attempt. Each later pause is `factor` times as long, up to `limit`.
    public static func exponential(from first: Duration, factor: Double = 2, upTo limit: Duration = .seconds(60)) -> RetryBackoff {
        RetryBackoff { attempt in
            var pause = min(first, limit)
            for _ in 1..<max(1, attempt) where pause < limit { pause = min(pause * factor, limit) }
            return pause
        }
    }

    /// The pause after attempt `attempt`; nil if there is none.
    func pause(after attempt: Int) -> Duration? {
        let pause = pause(attempt)
        return pause > .zero ? pause : nil
    }
}
