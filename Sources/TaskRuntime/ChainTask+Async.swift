import TaskEvents

/// The bridge to Swift's own tasks.
extension ChainTask {
    /// A task whose body is asynchronous. The body runs as a Swift task, on none of the runtime's executors.
    ///
    /// An error that the body throws fails the task; `CancellationError` cancels it. Without `name`, the task is named after the calling
    /// function. If the token is cancelled before the body begins, the task is cancelled at once. If it is cancelled later, the Swift task
    /// is cancelled, which the body may check; the body still decides the outcome.
    public convenience init(
        name: String? = nil, cancellation: CancellationToken? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init(kind: .root, name: name, or: function, fileID: fileID, line: line)
        if let cancellation { obey(cancellation) }
        guard !isCompleted else { return }
        let run: @Sendable () async -> Void = { [self] in
            guard begin() else { return }
            Emit.started(id, on: .none, .dequeued)
            let body = AsyncBody(task: id)
            do {
                let value = try await AsyncBody.$current.withValue(body) { try await operation() }
                Trampoline.run { end(with: value, .own, &$0) }
            } catch {
                Trampoline.run { endThrowing(error, reads: body.reads, &$0) }
            }
        }
        let work = ExecutionFrame.making(for: id) {
            if let order = Exploration.current { return Task(executorPreference: order, operation: run) }
            return Task(name: SurroundingTask.name(name ?? "\(function)"), operation: run)
        }
        guard let cancellation else { return }
        let registration = cancellation.onCancel { work.cancel() }
        onEnd { registration.cancel() }
    }

    /// The value, once the task has ended. Throws the task's error, which counts as read, or `CancellationError` if the task was cancelled.
    ///
    /// Waits for the task's end even if the awaiting Swift task is cancelled: see ``value(cancelling:)``.
    public var value: Value {
        get async throws {
            SurroundingTask.noteAwaiting(of: id)
            await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
                onEnd { ended.resume() }
            }
            switch currentEnding {
            case .succeeded: return storedValue
            case .faulted:
                let error = unreadError!
                noteErrorThrown(error)
                throw error
            case .cancelled, .none: throw CancellationError()
            }
        }
    }

    /// Like ``value``, but cancelling the awaiting Swift task also cancels `source`. Pass the source whose token the chain has.
    ///
    /// This still waits for the task's end. A body that has begun, or a task without that token, decides its end itself. Throws what
    /// ``value`` throws.
    public func value(cancelling source: CancellationTokenSource) async throws -> Value {
        try await withTaskCancellationHandler {
            try await value
        } onCancel: {
            source.cancel()
        }
    }
}
