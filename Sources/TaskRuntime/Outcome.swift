/// How a task ended.
public enum Outcome<Value: Sendable>: Sendable {
    /// It has this value.
    case success(Value)
    /// It failed with this error.
    case faulted(any Error)
    /// It was cancelled, and has neither a value nor an error.
    case cancelled
}

/// The errors of several inputs of one join.
public struct AggregateError: Error, CustomStringConvertible {
    /// The errors in the order of the join's inputs. An aggregate among them stays one element.
    public let errors: [any Error]

    /// Makes an error of the errors of several tasks, in the order of the tasks.
    public init(errors: [any Error]) {
        self.errors = errors
    }

    /// The descriptions of all errors.
    public var description: String {
        "AggregateError(\(errors.map { String(describing: $0) }.joined(separator: ", ")))"
    }
}

/// The error of a task whose source was released before it was set.
public struct BrokenSourceError: Error, CustomStringConvertible {
    /// The task's name.
    public let name: String

    /// The name of the source, and the cause.
    public var description: String { "the source of '\(name)' was released before it was set" }
}
