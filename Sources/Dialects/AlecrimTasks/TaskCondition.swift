import TaskEvents

/// Whether a task may begin. One may be used for any number of tasks, and is evaluated anew for each.
///
/// A task's conditions are evaluated one after the other, and of each first its subconditions, then its dependency task, then the condition
/// itself; the first that does not hold ends that, and the task, whose body never runs:
///
/// | what became of it | the task |
/// |---|---|
/// | `.NotSatisfied` | is cancelled |
/// | `.Failed(error)` | ends with `error` |
/// | the dependency task failed | ends with its error, so that one which was cancelled cancels it |
///
/// (The seed's text knows two results, satisfied and failed; the library has three.) While it waits, the task is suspended in the trace,
/// with the condition's name, and each result is an event of its own. The original waits on blocked threads, and evaluates what is left for
/// a task that has been cancelled meanwhile; here no thread is blocked, and nothing evaluated for such a task. A condition that never
/// answers keeps its task waiting.
open class TaskCondition: @unchecked Sendable {
    // It is immutable; a subclass of somebody's is to be safe itself.

    /// Evaluates a condition, and calls `result` from any thread, at once or later. Only the first call counts.
    public typealias Evaluation = @Sendable (_ result: @escaping @Sendable (TaskConditionResult) -> Void) -> Void

    let subconditions: [TaskCondition]
    let dependencyTask: @Sendable () -> Task<Void>?
    let evaluationClosure: Evaluation
    private let name: String?
    private let fileID: StaticString
    private let line: UInt

    /// A condition that depends on others.
    ///
    /// - `subconditions`: what has to hold before the condition itself is evaluated.
    /// - `dependencyTask`: a task that has to succeed before. The expression is evaluated each time the condition is, and so makes a new
    ///   task for each task that the condition is for; that begins a chain of its own and is an antecedent of the task.
    /// - `name`: what the trace calls the condition; without one it is called after its type.
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

    /// A condition that depends on one other.
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

    /// Its name and place as an entry of the trace.
    final var label: EntryID {
        guard EventBus.isRecording else { return .none }
        return Emit.label(name: name ?? String(describing: type(of: self)), or: "", fileID: fileID, line: line)
    }
}
