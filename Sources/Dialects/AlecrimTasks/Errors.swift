import Foundation

/// The reason why a condition prevents its task from starting.
///
/// A task never ends with this error: `NotSatisfied` cancels it, and `Failed` fails it with the error inside. The same holds if a
/// dependency task throws one.
public enum TaskConditionError: Error {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case NotSatisfied
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Failed(any Error)
}

/// The error of cancelled tasks.
enum TaskCancellation {
    static let error = NSError(domain: "com.alecrim.AlecrimAsyncKit", code: NSUserCancelledError)

    /// Whether an error means a cancellation. As in the original, only its code decides.
    static func isMeant(by error: any Error) -> Bool {
        (error as NSError).code == NSUserCancelledError
    }
}
