import Synchronization
import TaskEvents

/// Tasks that wait for several. A join is one task, begins a chain of its own, and reads no error.
extension ChainTask {
    /// Succeeds when all have succeeded, and waits for all in any case.
    ///
    /// An error beats a cancellation. One error is passed on as it is, several become an ``AggregateError`` in the order of `tasks`.
    /// (AWSTask orders them by completion, and Bolts-Swift wraps a single one and lets a cancellation win.) No tasks: success.
    public static func whenAll(
        _ tasks: [ChainTask<Value>], name: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> ChainTask<Void> {
        let join = ChainTask<Void>(joining: tasks, name: name, or: "whenAll", file: file, line: line)
        Join.all(tasks, into: join) { _ in () }
        return join
    }

    /// The values of all in the order of `tasks`; otherwise as `whenAll`.
    public static func whenAllResults(
        _ tasks: [ChainTask<Value>], name: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> ChainTask<[Value]> {
        let join = ChainTask<[Value]>(joining: tasks, name: name, or: "whenAllResults", file: file, line: line)
        Join.all(tasks, into: join) { $0 }
        return join
    }

    /// The first success, whose task it ends with. If there is none, it ends as `whenAll` would: an error beats a cancellation, several
    /// errors become an ``AggregateError`` in the order of `tasks`. No tasks: it fails with an aggregate of none.
    public static func whenAny(
        _ tasks: [ChainTask<Value>], name: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> ChainTask<Value> {
        let join = ChainTask<Value>(joining: tasks, name: name, or: "whenAny", file: file, line: line)
        Join.any(tasks, into: join)
        return join
    }

    private convenience init<Input>(
        joining tasks: [ChainTask<Input>], name: String?, or function: StaticString, file: StaticString, line: UInt
    ) {
        self.init(kind: .join, name: name, or: function, file: file, line: line, antecedent: tasks.first)
        for task in tasks.dropFirst() {
            Emit.antecedent(task.id, of: id, role: .input)
        }
    }
}

private enum Join {
    static func all<Input, Output>(
        _ tasks: [ChainTask<Input>], into join: ChainTask<Output>, _ output: @escaping @Sendable ([Input]) -> Output
    ) {
        collect(tasks) { inputs, trampoline in
            if fail(join, inputs, &trampoline) { return }
            let values = inputs.map { input -> Input in
                guard case .success(let value) = input.outcome else { preconditionFailure("\(input.outcome) neither failed nor succeeded") }
                return value
            }
            join.end(.success(output(values)), .succeeded, &trampoline)
        }
    }

    static func any<Input>(_ tasks: [ChainTask<Input>], into join: ChainTask<Input>) {
        for task in tasks {
            Trampoline.run { trampoline in
                task.whenEnded(&trampoline) { task, trampoline in
                    guard task.currentEnding == .succeeded, !join.isCompleted else { return }
                    join.end(as: unsafeDowncast(task, to: ChainTask<Input>.self), &trampoline)
                }
            }
        }
        collect(tasks) { inputs, trampoline in
            guard !join.isCompleted, !fail(join, inputs, &trampoline) else { return }
            if inputs.isEmpty { join.end(.faulted(AggregateError(errors: [])), .faulted(.thrown), &trampoline) }
        }
    }

    /// Calls `action` once with how all of them ended, in their order, by whoever ends the last one.
    private static func collect<Input>(
        _ tasks: [ChainTask<Input>], _ action: @escaping @Sendable ([EndedInput<Input>], inout Trampoline) -> Void
    ) {
        guard !tasks.isEmpty else { return Trampoline.run { action([], &$0) } }
        let inputs = Inputs<Input>(count: tasks.count)
        for (index, task) in tasks.enumerated() {
            Trampoline.run { trampoline in
                task.whenEnded(&trampoline) { task, trampoline in
                    let task = unsafeDowncast(task, to: ChainTask<Input>.self)
                    if let all = inputs.note(task, at: index) { action(all, &trampoline) }
                }
            }
        }
    }

    /// Ends the join with what went wrong among its inputs; false if nothing did.
    private static func fail<Input, Output>(
        _ join: ChainTask<Output>, _ inputs: [EndedInput<Input>], _ trampoline: inout Trampoline
    ) -> Bool {
        var failed: [(task: TaskID, error: any Error)] = []
        var cancelled: TaskID?
        for input in inputs {
            switch input.outcome {
            case .faulted(let error): failed.append((input.task, error))
            case .cancelled: cancelled = cancelled ?? input.task
            case .success: break
            }
        }
        if failed.count > 1 {
            join.end(.faulted(AggregateError(errors: failed.map(\.error))), .faulted(.transformed), &trampoline)
        } else if let one = failed.first {
            join.end(.faulted(one.error), .faulted(.forwarded, from: one.task), &trampoline)
        } else if let cancelled {
            join.end(.cancelled, .cancelled(.forwarded, by: cancelled), &trampoline)
        } else {
            return false
        }
        return true
    }
}

private struct EndedInput<Value: Sendable>: Sendable {
    let task: TaskID
    let outcome: Outcome<Value>
}

/// How the inputs of a join ended. It holds outcomes, not tasks: a task that never ends is not kept alive by its own join.
private final class Inputs<Value: Sendable>: Sendable {
    private struct State {
        var ended: [EndedInput<Value>?]
        var remaining: Int
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(ended: Array(repeating: nil, count: count), remaining: count))
    }

    /// All of them, for the last one.
    func note(_ task: ChainTask<Value>, at index: Int) -> [EndedInput<Value>]? {
        guard let outcome = task.unreadOutcome else { preconditionFailure("a join was told of a task that is pending") }
        return state.withLock { state in
            state.ended[index] = EndedInput(task: task.id, outcome: outcome)
            state.remaining -= 1
            return state.remaining == 0 ? state.ended.map { $0! } : nil
        }
    }
}
