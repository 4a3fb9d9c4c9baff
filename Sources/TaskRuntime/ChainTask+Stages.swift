import TaskEvents

/// Tasks that a dialect leads from stage to stage, where a body's return is no end, and a body waits for more than an antecedent.
/// What they do is in the trace as what native tasks do is.
extension ChainTask {
    /// A root that waits to be sent to its executor.
    package convenience init(unsentFor executor: ChainExecutor, _ label: TaskLabel) {
        self.init(rootOn: executor, label.name, label.fileID, label.line, label.fallback)
    }
}

extension AnyChainTask {
    /// Sends the task's job to its executor. There, if `begins` says so, `body` runs as the task's, which it need not end; also where
    /// somebody has ended the task before.
    package final func send(
        to executor: ChainExecutor, if begins: @escaping @Sendable () -> Bool, _ body: @escaping @Sendable () -> Void
    ) {
        start(on: executor) { [self] turn, _ in
            guard begins() else { return false }
            _ = begin()
            Emit.started(id, on: turn.executor, turn.manner)
            perform(body)
            return true
        }
    }

    /// Runs a piece of the task's work: what it reads or waits for, the task does.
    package final func perform(_ work: () -> Void) {
        var reads = ErrorReads(nil)
        _ = ExecutionFrame.run(id, &reads, work)
    }
}
