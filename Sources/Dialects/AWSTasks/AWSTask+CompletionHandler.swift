/// Conversions between tasks and methods with a `completionHandler` for a response or an error.
extension AWSTask {
    /// A task for a call with a completion handler. `call` runs at once and passes on the handler that it receives.
    ///
    /// An error fails the task, even with a response beside it. Otherwise the task succeeds with the response, which may be nil. Only the
    /// handler's first call counts.
    @preconcurrency
    public convenience init(
        completionHandler call: (_ completionHandler: @escaping @Sendable (ResultType?, (any Error)?) -> Void) -> Void,
        name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) {
        let source = AWSTaskCompletionSource<ResultType>(name: name, fileID: fileID, line: line, function: function)
        call { response, error in
            if let error {
                source.trySet(error: error, fileID: fileID, line: line)
            } else {
                source.trySet(result: response, fileID: fileID, line: line)
            }
        }
        self.init(source.task)
    }

    /// Passes the outcome to a completion handler on `executor`: the result and nil, or nil and the error, which counts as read.
    ///
    /// A cancelled task passes two nils, as in the SDK's methods with a completion handler.
    @preconcurrency
    public func handOver(
        to completionHandler: @escaping @Sendable (ResultType?, (any Error)?) -> Void, executor: AWSExecutor = .default(),
        name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) {
        continueWith(
            executor: executor,
            block: { task in
                completionHandler(task.result, task.error)
                return nil
            }, name: name, fileID: fileID, line: line, function: function)
    }
}
