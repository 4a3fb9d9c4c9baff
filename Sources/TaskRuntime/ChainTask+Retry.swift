/// Work that may be done again when it fails.
extension ChainTask {
    /// Calls `body` with 1, and while it throws again, with a pause before, up to `times` times in all. Ends as the last attempt did.
    ///
    /// Every attempt is a task, called `name` and its number, that runs on `executor`. From the second on it belongs to one that was handed
    /// the error of the attempt before, so that the trace shows who took which error; where no further attempt is needed they are skipped.
    /// A cancelled attempt, and a cancelled token, is the end: also of a pause.
    @discardableResult
    public static func retry(
        times: Int, backoff: Backoff = .none, on executor: ChainExecutor = .default, name: String? = nil,
        cancellation: CancellationToken? = nil, file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (_ attempt: Int) throws -> Value
    ) -> ChainTask<Value> {
        let name = name ?? "\(function)"
        return retrying(times, backoff, name, cancellation, file, line) { attempt, beginning in
            beginning.continueOnSuccessWith(
                on: executor, name: "\(name) \(attempt)", cancellation: cancellation, file: file, line: line
            ) { try body(attempt) }
        }
    }

    /// Likewise with a body that returns a task: an attempt ends as that one does.
    @discardableResult
    public static func retryTask(
        times: Int, backoff: Backoff = .none, on executor: ChainExecutor = .default, name: String? = nil,
        cancellation: CancellationToken? = nil, file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (_ attempt: Int) throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let name = name ?? "\(function)"
        return retrying(times, backoff, name, cancellation, file, line) { attempt, beginning in
            beginning.continueOnSuccessWithTask(
                on: executor, name: "\(name) \(attempt)", cancellation: cancellation, file: file, line: line
            ) { try body(attempt) }
        }
    }

    private static func retrying(
        _ times: Int, _ backoff: Backoff, _ name: String, _ cancellation: CancellationToken?, _ file: StaticString, _ line: UInt,
        _ attempt: @escaping @Sendable (_ number: Int, _ beginning: ChainTask<Void>) -> ChainTask<Value>
    ) -> ChainTask<Value> {
        precondition(times > 0, "'\(name)' is to be tried \(times) times; the first time is one.")
        var last = attempt(1, ChainTask<Void>((), name: name, file: file, line: line))
        for number in 1..<times {
            last = last.continueOnErrorWithTask(
                on: .immediate, name: "\(name) after \(number)", cancellation: cancellation, file: file, line: line
            ) { _ in
                guard let pause = backoff.pause(after: number) else {
                    return attempt(number + 1, ChainTask<Void>((), name: name, file: file, line: line))
                }
                let delay = ChainTask<Void>.delay(pause, cancellation: cancellation, name: "back-off", file: file, line: line)
                return attempt(number + 1, delay)
            }
        }
        return last
    }
}
