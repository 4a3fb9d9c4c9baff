import AWSTasks
import Foundation
import TaskRuntime

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

    /// The thrown error, in words.
    public var description: String { "exception: \(thrown)" }
}

extension SwiftTaskCompletionValue {
    init(_ outcome: Outcome<ObjectResult>?) {
        switch outcome {
        case .success(let result): self = .Result(result.object)
        case .faulted(let exception as SwiftTaskException): self = .Exception(exception.thrown)
        case .faulted(let error): self = .Error(objectiveCError(error))
        case .cancelled: self = .Cancelled
        case nil: self = .NotDone
        }
    }

    /// Nil for `.NotDone`.
    var outcome: Outcome<ObjectResult>? {
        switch self {
        case .NotDone: nil
        case .Result(let result): .success(ObjectResult(result))
        case .Error(let error): .faulted(error)
        case .Exception(let thrown): .faulted(SwiftTaskException(thrown: thrown))
        case .Cancelled: .cancelled
        }
    }
}

/// The error itself if it is an `NSError`; otherwise an `NSError` with the same description and the error as its underlying error. On
/// Linux, Swift's own conversion loses both.
private func objectiveCError(_ error: any Error) -> NSError {
    // The cast goes through `Any`, because the compiler assumes that a cast from an error to `NSError` always succeeds. On Linux it can
    // fail.
    if let error = error as Any as? NSError { return error }
    return NSError(
        domain: String(reflecting: type(of: error)), code: (error as NSError).code,
        userInfo: [NSLocalizedDescriptionKey: String(describing: error), NSUnderlyingErrorKey: error])
}
