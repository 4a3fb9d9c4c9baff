import Foundation

/// A task's end, in the README's spelling.
///
/// An exception is any error that a block threw, because `NSException` exists on Apple's systems only.
public enum SwiftTaskCompletionValue: @unchecked Sendable {
    // Unchecked because of the result: the object's owner ensures that the block's thread may use it.

    /// The task is pending.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case NotDone
    /// The task succeeded.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Result(AnyObject?)
    /// The task failed.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Error(NSError)
    /// The task's block threw, or its source received an exception.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Exception(any Swift.Error)
    /// The task was cancelled.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Cancelled
}

/// The error of a task that failed by an exception: it wraps the thrown error, to distinguish it from an error that was set.
///
/// As a `BFTask`, which has no exceptions since Bolts 1.9, such a task has this error.
public struct SwiftTaskException: Error, CustomStringConvertible {
    /// The thrown error.
    public let thrown: any Error

    public var description: String { "exception: \(thrown)" }
}
