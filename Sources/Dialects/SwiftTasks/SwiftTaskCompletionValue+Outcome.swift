import AWSTasks
import Foundation
import TaskRuntime

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
