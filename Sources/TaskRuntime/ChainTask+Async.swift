import TaskEvents

/// The bridge to Swift's own tasks.
extension ChainTask {
    /// A task whose body is asynchronous and runs as a Swift task, on no executor of the runtime's.
    ///
    /// What the body throws is the task's error; `CancellationError` cancels it. Without a name it is called after the calling function.
    public convenience init(
        name: String? = nil, file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init(kind: .root, name: name, or: function, file: file, line: line)
        Task { [self] in
            guard begin() else { return }
            Emit.started(id, on: .none, .dequeued)
            let body = AsyncBody(task: id)
            let result: Result<Value, any Error> = await AsyncBody.$current.withValue(body) {
                do {
                    return .success(try await operation())
                } catch {
                    return .failure(error)
                }
            }
            Trampoline.run { end(with: result, reads: body.reads, &$0) }
        }
    }

    /// Its value, when it has ended. Throws its error, which counts as read, or `CancellationError` if it was cancelled.
    public var value: Value {
        get async throws {
            await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
                Trampoline.run { whenEnded(&$0) { _, _ in ended.resume() } }
            }
            switch unreadOutcome {
            case .success(let value): return value
            case .faulted(let error):
                noteErrorRead(error)
                throw error
            case .cancelled, nil: throw CancellationError()
            }
        }
    }
}
