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

    /// Nil for what is no end.
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

/// The error itself, if it is an `NSError`; else one that says the same and has it as its underlying error, which the conversion of Swift's
/// would forget off Apple's systems.
private func objectiveCError(_ error: any Error) -> NSError {
    // By way of `Any`: the compiler takes a cast from an error for one that always succeeds, and here it does not.
    if let error = error as Any as? NSError { return error }
    return NSError(
        domain: String(reflecting: type(of: error)), code: (error as NSError).code,
        userInfo: [NSLocalizedDescriptionKey: String(describing: error), NSUnderlyingErrorKey: error])
}
