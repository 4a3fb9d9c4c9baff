import TaskEvents

/// Tasks that begin a chain with work of their own.
extension ChainTask {
    /// A task whose body runs on `executor`: on `.immediate` and `.default` here and now, before `init` returns.
    ///
    /// What the body throws is the task's error; `CancellationError` cancels it. Without a name it is called after the calling function.
    public convenience init(
        on executor: ChainExecutor = .default, name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, _ body: @escaping @Sendable () throws -> Value
    ) {
        self.init(kind: .root, name: name, or: function, file: file, line: line, executor: executor)
        Trampoline.run { trampoline in
            executor.begin(self, isHop: false, &trampoline) { [self] manner, trampoline in
                run(on: executor, manner, &trampoline, body)
            }
        }
    }

    /// A task whose body returns another task, and that ends as that one does. It begins a chain.
    public static func flattening(
        on executor: ChainExecutor = .default, name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, _ body: @escaping @Sendable () throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let task = ChainTask<Value>(kind: .root, name: name, or: function, file: file, line: line, executor: executor)
        Trampoline.run { trampoline in
            executor.begin(task, isHop: false, &trampoline) { manner, trampoline in
                task.runFlattening(on: executor, manner, &trampoline, body)
            }
        }
        return task
    }

    // MARK: Running a body

    /// Runs the body on the calling thread and ends the task with what it came to. False if the task had been cancelled before.
    @discardableResult
    func run(
        on executor: ChainExecutor, _ manner: StartManner, handed: HandedError? = nil, _ trampoline: inout Trampoline,
        _ body: () throws -> Value
    ) -> Bool {
        guard begin() else { return false }
        Emit.started(id, on: executor.core.id, manner)
        let (result, reads) = ExecutionFrame.body(of: id, handed: handed?.read(by: id), body)
        end(with: result, reads: reads, &trampoline)
        return true
    }

    /// Likewise, for a body that returns the task to follow.
    @discardableResult
    func runFlattening(
        on executor: ChainExecutor, _ manner: StartManner, handed: HandedError? = nil, _ trampoline: inout Trampoline,
        _ body: () throws -> ChainTask<Value>
    ) -> Bool {
        guard begin() else { return false }
        Emit.started(id, on: executor.core.id, manner)
        let (result, reads) = ExecutionFrame.body(of: id, handed: handed?.read(by: id), body)
        switch result {
        case .success(let inner): follow(inner, &trampoline)
        case .failure(let error): fail(with: error, reads: reads, &trampoline)
        }
        return true
    }
}
