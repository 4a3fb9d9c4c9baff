import TaskRuntime

/// Between tasks and methods with a `completionHandler`, which gets a response or an error.
extension AWSTask {
    /// A task for a call with a completion handler: `call` is called at once, and hands on the handler that it is given.
    ///
    /// An error fails the task, also beside a response; else it succeeds with the response, also with none. The handler counts once.
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

    /// Hands what the task came to to a completion handler, on `executor`: the response and nil, or nil and the error, which is read.
    ///
    /// As in the SDK, whose methods with a completion handler are made so, a cancelled task hands over two nils.
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
