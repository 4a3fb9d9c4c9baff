/// Another condition without its dependency task. Its subconditions keep theirs.
///
/// As in the original it takes the other's closure and no more: a silent ``NegateTaskCondition`` negates nothing.
public final class SilentTaskCondition: TaskCondition, @unchecked Sendable {
    public init(_ otherCondition: TaskCondition, fileID: StaticString = #fileID, line: UInt = #line) {
        super.init(
            subconditions: otherCondition.subconditions, fileID: fileID, line: line, evaluationClosure: otherCondition.evaluationClosure)
    }
}
