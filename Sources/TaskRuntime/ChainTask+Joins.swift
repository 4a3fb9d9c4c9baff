import TaskEvents

/// Tasks that wait for several others. A join is one task, starts a chain of its own, and reads no error.
extension ChainTask {
    /// Waits for all tasks, and succeeds if all have succeeded. Without tasks it succeeds at once.
    ///
    /// An error takes precedence over a cancellation. A single error is passed on unchanged. Several become an ``AggregateError`` in the
    /// order of `tasks`. (AWSTask orders them by completion. Bolts-Swift wraps a single error, and gives a cancellation precedence.)
    public static func whenAll(
        _ tasks: [ChainTask<Value>], name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ChainTask<Void> {
        let join = ChainTask<Void>(joining: tasks, name: name, or: "whenAll", fileID: fileID, line: line)
        Join.all(tasks, into: join) { _ in () }
        return join
    }

    /// Like `whenAll`, but succeeds with the values in the order of `tasks`.
    public static func whenAllResults(
        _ tasks: [ChainTask<Value>], name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ChainTask<[Value]> {
        let join = ChainTask<[Value]>(joining: tasks, name: name, or: "whenAllResults", fileID: fileID, line: line)
        Join.all(tasks, into: join) { ended in ended.map { unsafeDowncast($0, to: ChainTask<Value>.self).storedValue } }
        return join
    }

    /// Ends like the first task that succeeds. If none succeeds, ends like `whenAll`: an error takes precedence over a cancellation, and
    /// several errors become an ``AggregateError`` in the order of `tasks`. Without tasks it fails with an empty ``AggregateError``.
    public static func whenAny(
        _ tasks: [ChainTask<Value>], name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ChainTask<Value> {
        let join = ChainTask<Value>(joining: tasks, name: name, or: "whenAny", fileID: fileID, line: line)
        Join.any(tasks, into: join)
        return join
    }

    private convenience init<Input>(
        joining tasks: [ChainTask<Input>], name: String?, or function: StaticString, fileID: StaticString, line: UInt
    ) {
        self.init(kind: .join, name: name, or: function, fileID: fileID, line: line, antecedent: tasks.first)
        for task in tasks.dropFirst() {
            Emit.antecedent(task.id, of: id, role: .input)
        }
    }
}

private enum Join {
    static func all<Input, Output>(
        _ tasks: [ChainTask<Input>], into join: ChainTask<Output>, _ output: @escaping @Sendable ([AnyChainTask]) -> Output
    ) {
        collect(tasks) { ended, trampoline in
            if !fail(join, ended, &trampoline) { join.end(with: output(ended), .own, &trampoline) }
        }
    }

    static func any<Input>(_ tasks: [ChainTask<Input>], into join: ChainTask<Input>) {
        for task in tasks {
            task.whenEnded { task, _, trampoline in
                if task.currentEnding == .succeeded { join.end(as: task, &trampoline) }
                return .over
            }
        }
        collect(tasks) { ended, trampoline in
            if fail(join, ended, &trampoline) { return }
            if ended.isEmpty { join.endFaulted(with: AggregateError(errors: []), .own, &trampoline) }
        }
    }

    /// Calls `action` once with all tasks, in their order, on the thread that ends the last one.
    private static func collect<Input>(
        _ tasks: [ChainTask<Input>], _ action: @escaping @Sendable ([AnyChainTask], inout Trampoline) -> Void
    ) {
        guard !tasks.isEmpty else { return Trampoline.run { action([], &$0) } }
        let inputs = EndedInputs(count: tasks.count)
        for index in tasks.indices {
            tasks[index].whenEnded { task, _, trampoline in
                if let all = inputs.note(task, at: index) { action(all, &trampoline) }
                return .over
            }
        }
    }

    /// Ends the join with its inputs' errors or cancellation. Returns false if all inputs succeeded.
    private static func fail(_ join: AnyChainTask, _ inputs: [AnyChainTask], _ trampoline: inout Trampoline) -> Bool {
        guard inputs.contains(where: { $0.currentEnding != .succeeded }) else { return false }
        let failed = inputs.filter { $0.currentEnding == .faulted }
        if failed.count > 1 {
            join.endFaulted(with: AggregateError(errors: failed.compactMap(\.unreadError)), .replacing(.none), &trampoline)
        } else if let wrong = failed.first ?? inputs.first(where: { $0.currentEnding == .cancelled }), join.claim() {
            join.take(wrong, &trampoline)
        }
        return true
    }
}

/// The inputs of a join that have ended. Pending inputs are not retained, so a join does not keep alive a task that never ends.
private final class EndedInputs: Sendable {
    private struct State {
        var ended: [AnyChainTask?]
        var remaining: Int
    }

    private let state: Guarded<State>

    init(count: Int) {
        state = Guarded(State(ended: Array(repeating: nil, count: count), remaining: count))
    }

    /// Returns all inputs when the last one has ended; nil before.
    func note(_ task: AnyChainTask, at index: Int) -> [AnyChainTask]? {
        state.withLock { state in
            state.ended[index] = task
            state.remaining -= 1
            return state.remaining == 0 ? state.ended.map { $0! } : nil
        }
    }
}
