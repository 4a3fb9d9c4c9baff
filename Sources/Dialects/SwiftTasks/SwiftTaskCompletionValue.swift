import Foundation

/// What a task has come to: its one property.
///
/// The cases are spelled as in the README. An exception is whatever a block threw: off Apple's systems there is no `NSException`.
public enum SwiftTaskCompletionValue: @unchecked Sendable {
    // Unchecked for the result: whether an object may be used on the thread that a block runs on is its owner's business.

    /// It has not ended.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case NotDone
    /// It succeeded.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Result(AnyObject?)
    /// It failed.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Error(NSError)
    /// Its block threw, or its source was given an exception.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Exception(any Swift.Error)
    /// It was cancelled.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Cancelled
}

/// What a task fails with whose block threw, or whose source was given an exception: the thrown error, told apart from one that was set.
///
/// It is the error that a ``SwiftTask`` has as a `BFTask`, which knows no exceptions since Bolts 1.9.
public struct SwiftTaskException: Error, CustomStringConvertible {
    /// What was thrown.
    public let thrown: any Error

    public var description: String { "exception: \(thrown)" }
}
