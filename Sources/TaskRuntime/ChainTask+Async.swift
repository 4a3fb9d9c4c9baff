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
            do {
                let value = try await AsyncBody.$current.withValue(body) { try await operation() }
                Trampoline.run { end(with: value, .own, &$0) }
            } catch {
                Trampoline.run { endThrowing(error, reads: body.reads, &$0) }
            }
        }
    }

    /// Its value, when it has ended. Throws its error, which counts as read, or `CancellationError` if it was cancelled.
    public var value: Value {
        get async throws {
            await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
                Trampoline.run { whenEnded(&$0) { _, _ in ended.resume() } }
            }
            switch currentEnding {
            case .succeeded: return storage!
            case .faulted: throw error!
            case .cancelled, .none: throw CancellationError()
            }
        }
    }
}
