import TaskEvents

/// Tasks that begin a chain with work of their own.
extension ChainTask {
    /// A task whose body runs on `executor`: on `.immediate` and `.default` here and now, before `init` returns.
    ///
    /// What the body throws is the task's error; `CancellationError` cancels it. Without a name it is called after the calling function.
    @inlinable
    public convenience init(
        on executor: ChainExecutor = .default, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, _ body: @escaping @Sendable () throws -> Value
    ) {
        self.init(rootOn: executor, name, fileID, line, function)
        start(on: executor) { [self] turn, trampoline in
            run(turn, &trampoline) { storage = try body() }
        }
    }

    /// A task whose body returns another task, and that ends as that one does. It begins a chain.
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
