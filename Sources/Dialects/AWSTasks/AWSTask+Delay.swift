import TaskRuntime

extension AWSTask {
    /// A task that succeeds with nil after `millis` milliseconds, never before this returns.
    ///
    /// If the token is already cancelled, the task is cancelled at once. If it is cancelled later, the task is cancelled when its time has
    /// passed.
    public convenience init(
        delay millis: Int32, cancellationToken token: AWSCancellationToken? = nil, name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "delay", fileID, line)
        guard token?.isCancellationRequested != true else {
            self.init(chain: ChainTask(ended: .cancelled, label))
            return
        }
        self.init(
            chain: .delay(.milliseconds(millis), label) {
                token?.isCancellationRequested == true ? .token : .own(.success(ObjectResult(nil)))
            })
    }
}
