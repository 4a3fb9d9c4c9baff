import TaskEvents

/// A condition for starting a task. It can be used for any number of tasks and is evaluated for each.
///
/// A task's conditions are evaluated in order: for each, first its subconditions, then its dependency task, then the condition itself. The
/// first that is not satisfied ends the evaluation and the task, whose body never runs:
///
/// | result | the task |
/// |---|---|
/// | `.NotSatisfied` | is cancelled |
/// | `.Failed(error)` | fails with `error` |
/// | the dependency task failed | fails with its error; a cancelled dependency task cancels it |
///
/// (The original's README knows two results, satisfied and failed; its code has three.) In the trace a waiting task is suspended with the
/// condition's name, and each result is an event. Waiting blocks no thread, and evaluation stops when the task is cancelled. (The original
/// blocks threads, and evaluates all conditions of a cancelled task.) A condition that never answers keeps its task waiting.
open class TaskCondition: @unchecked Sendable {
    // This class is immutable; a subclass must be thread-safe by itself.

    /// Evaluates a condition and calls `result`, on any thread, at once or later. Only the first call counts.
    public typealias Evaluation = @Sendable (_ result: @escaping @Sendable (TaskConditionResult) -> Void) -> Void

    let subconditions: [TaskCondition]
    let dependencyTask: @Sendable () -> Task<Void>?
    let evaluationClosure: Evaluation
    private let name: String?
    private let fileID: StaticString
    private let line: UInt

    /// Makes a condition.
    ///
    /// - `subconditions`: must be satisfied before this condition is evaluated.
    /// - `dependencyTask`: must succeed before this condition is evaluated. Each evaluation evaluates the expression, so each task with
    ///   this condition gets a dependency task of its own; it starts a chain and is an antecedent of the task.
    /// - `name`: the condition's name in the trace. Default: its type.
    public init(
        subconditions: [TaskCondition]? = nil, dependencyTask: @autoclosure @escaping @Sendable () -> Task<Void>? = nil,
        name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, evaluationClosure: @escaping Evaluation
    ) {
        self.subconditions = subconditions ?? []
        self.dependencyTask = dependencyTask
        self.evaluationClosure = evaluationClosure
        self.name = name
        self.fileID = fileID
        self.line = line
    }

    /// Makes a condition with one subcondition.
    public convenience init(
        subcondition: TaskCondition, dependencyTask: @autoclosure @escaping @Sendable () -> Task<Void>? = nil, name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, evaluationClosure: @escaping Evaluation
    ) {
        self.init(
            subconditions: [subcondition], dependencyTask: dependencyTask(), name: name, fileID: fileID, line: line,
            evaluationClosure: evaluationClosure)
    }

    /// Evaluates the condition itself.
    func evaluate(_ result: @escaping @Sendable (TaskConditionResult) -> Void) {
        evaluationClosure(result)
    }

    /// The condition's name and call site as an entry of the trace.
    final var label: EntryID {
        guard EventBus.isRecording else { return .none }
        return Emit.label(name: name ?? String(describing: type(of: self)), or: "", fileID: fileID, line: line)
    }
}

/// The result of a condition.
public enum TaskConditionResult: Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The task may start.
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

/// The reason why a condition prevents its task from starting.
///
/// A task never ends with this error: `NotSatisfied` cancels it, and `Failed` fails it with the error inside. The same holds if a
/// dependency task throws one.
public enum TaskConditionError: Error {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The task is cancelled.
    case NotSatisfied
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The task fails with this error.
    case Failed(any Error)
}
