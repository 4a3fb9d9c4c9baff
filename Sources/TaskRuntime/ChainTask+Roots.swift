/// Tasks that start a chain with a body.
extension ChainTask {
    /// A task whose body runs on `executor`. On `.immediate`, and on `.default` up to its nesting limit, it runs before `init` returns.
    ///
    /// An error that the body throws fails the task; `CancellationError` cancels it. Without `name`, the task is named after the calling
    /// function.
    @inlinable
    public convenience init(
        on executor: ChainExecutor = .default, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, _ body: @escaping @Sendable () throws -> Value
    ) {
        self.init(rootOn: executor, name, fileID, line, function)
        start(on: executor) { [self] turn, trampoline in
            run(turn, &trampoline) { store(try body()) }
        }
    }

    /// A task whose body returns another task. It starts a chain and ends like the returned task.
    @inlinable
    public static func flattening(
        on executor: ChainExecutor = .default, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, _ body: @escaping @Sendable () throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let task = ChainTask<Value>(rootOn: executor, name, fileID, line, function)
        task.start(on: executor) { turn, trampoline in
            task.runFlattening(turn, &trampoline) { try body() }
        }
        return task
    }
}
