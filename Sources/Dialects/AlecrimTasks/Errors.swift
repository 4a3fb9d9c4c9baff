import Foundation

/// How a condition tells the task that waits for it why it will not begin.
///
/// Tasks do not end with it: what is not satisfied cancels the task, and a failure is handed on as the error that it holds. The same is
/// done with one that a dependency task throws.
public enum TaskConditionError: Error {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case NotSatisfied
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Failed(any Error)
}

/// What a cancelled task ends with.
enum TaskCancellation {
    static let error = NSError(domain: "com.alecrim.AlecrimAsyncKit", code: NSUserCancelledError)

    /// Whether ending with that error is being cancelled: by the code alone, as in the original.
    static func isMeant(by error: any Error) -> Bool {
        (error as NSError).code == NSUserCancelledError
    }
}
