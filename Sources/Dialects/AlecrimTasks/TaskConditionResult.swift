import TaskEvents

/// The result of a condition.
public enum TaskConditionResult: Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Satisfied
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The task is cancelled.
    case NotSatisfied
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The task fails with this error.
    case Failed(any Error)

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// ``Failed(_:)`` in the spelling of the original's README, and of its versions up to 1.1.2.
    public static func FailedWithError(_ error: any Error) -> TaskConditionResult {
        .Failed(error)
    }

    var event: ConditionResult {
        switch self {
        case .Satisfied: .satisfied
        case .NotSatisfied: .notSatisfied
        case .Failed: .failed
        }
    }
}
