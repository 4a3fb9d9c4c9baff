import TaskEvents

/// The bridge to Swift's own tasks.
extension ChainTask {
    /// A task whose body is asynchronous and runs as a Swift task, on no executor of the runtime's.
    ///
    /// What the body throws is the task's error; `CancellationError` cancels it. Without a name it is called after the calling function.
    /// A token that is cancelled before the body begins cancels the task at once. Later it cancels the Swift task, which the body may look
    /// at: its outcome is still the body's.
    public convenience init(
        name: String? = nil, cancellation: CancellationToken? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function, operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init(kind: .root, name: name, or: function, fileID: fileID, line: line)
        if let cancellation { obey(cancellation) }
        guard !isCompleted else { return }
        let work = ExecutionFrame.making(for: id) {
            Task(name: SwiftTask.name(name ?? "\(function)")) { [self] in
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
        }
        guard let cancellation else { return }
        let registration = cancellation.onCancel { work.cancel() }
        onEnd { registration.cancel() }
    }

    /// Its value, when it has ended. Throws its error, which counts as read, or `CancellationError` if it was cancelled.
    ///
    /// Waits for the task's end, also when the Swift task that awaits it is cancelled: see ``value(cancelling:)``.
    public var value: Value {
        get async throws {
            SwiftTask.noteAwaiting(of: id)
            await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
                onEnd { ended.resume() }
            }
            switch currentEnding {
            case .succeeded: return storage!
            case .faulted:
                let error = unreadError!
                noteErrorThrown(error)
                throw error
            case .cancelled, .none: throw CancellationError()
            }
        }
    }

    /// As ``value``; and a cancellation of the Swift task that waits cancels `source`, which is the one whose token the chain was given.
    ///
    /// It still waits for the task's end, which a body that has begun, or a task without that token, decides for itself.
    public func value(cancelling source: CancellationTokenSource) async throws -> Value {
        try await withTaskCancellationHandler {
            try await value
        } onCancel: {
            source.cancel()
        }
    }
}
