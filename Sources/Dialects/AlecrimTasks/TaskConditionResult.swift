import TaskEvents

/// What became of a condition.
public enum TaskConditionResult: Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case Satisfied
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The task is cancelled.
    case NotSatisfied
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The task ends with that error.
    case Failed(any Error)

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// ``Failed(_:)`` as the seed's text spells it, which is how it was called up to version 1.1.2.
    public static func FailedWithError(_ error: any Error) -> TaskConditionResult {
        .Failed(error)
    }

    /// Its word in the trace.
    var event: ConditionResult {
        switch self {
        case .Satisfied: .satisfied
        case .NotSatisfied: .notSatisfied
        case .Failed: .failed
        }
    }
}
