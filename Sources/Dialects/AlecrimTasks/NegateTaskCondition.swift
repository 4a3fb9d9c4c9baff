/// A condition that is satisfied if another one is not, or if that fails.
///
/// What the other depends on is not negated: its subconditions and its dependency task have to succeed. As in the original it takes the
/// other's closure and no more, so that to negate twice is to negate once, and a negated category excludes nobody and cancels its task.
public final class NegateTaskCondition: TaskCondition, @unchecked Sendable {
    public init(_ otherCondition: TaskCondition, fileID: StaticString = #fileID, line: UInt = #line) {
        super.init(
            subconditions: otherCondition.subconditions, dependencyTask: otherCondition.dependencyTask(), fileID: fileID, line: line,
            evaluationClosure: otherCondition.evaluationClosure)
    }

    override func evaluate(_ result: @escaping @Sendable (TaskConditionResult) -> Void) {
        super.evaluate { other in
            switch other {
            case .Satisfied: result(.NotSatisfied)
            case .NotSatisfied, .Failed: result(.Satisfied)
            }
        }
    }
}
