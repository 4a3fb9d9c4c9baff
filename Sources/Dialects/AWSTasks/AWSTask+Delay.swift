import TaskRuntime

extension AWSTask {
    /// A task that succeeds with nil after so many milliseconds; never before it is returned. It is called `delay` unless a name is given.
    ///
    /// A token that is cancelled by now makes it a cancelled task at once. Of one that is cancelled later the task hears when its time has
    /// come: then it ends as cancelled, no earlier.
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
