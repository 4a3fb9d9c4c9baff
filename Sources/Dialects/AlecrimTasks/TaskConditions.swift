import Foundation
import TaskRuntime

/// A condition given by an expression, which every evaluation evaluates.
public final class BooleanTaskCondition: TaskCondition, @unchecked Sendable {
    /// The closure runs on the pool for conditions, each time a task asks.
    public init(_ valueClosure: @autoclosure @escaping @Sendable () -> Bool, fileID: StaticString = #fileID, line: UInt = #line) {
        super.init(fileID: fileID, line: line) { result in result(valueClosure() ? .Satisfied : .NotSatisfied) }
    }
}

/// A condition that is satisfied some time after its evaluation began.
public final class DelayTaskCondition: TaskCondition, @unchecked Sendable {
    /// `timeInterval` is in seconds. `tolerance` is in the original's signature and has no effect.
    public init(timeInterval: TimeInterval, tolerance: TimeInterval = 0, fileID: StaticString = #fileID, line: UInt = #line) {
        let timers = Timers.current
        super.init(fileID: fileID, line: line) { result in
            _ = timers.schedule(after: .seconds(timeInterval)) { result(.Satisfied) }
        }
    }
}

/// A condition that is satisfied if another one is not satisfied or fails.
///
/// The other's subconditions and dependency task are not negated: they must succeed. As in the original, only the other's closure is
/// negated, so a double negation is a single one, and a negated ``MutuallyExclusiveTaskCondition`` excludes no task and cancels its own.
public final class NegateTaskCondition: TaskCondition, @unchecked Sendable {
    /// Negates another condition.
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

/// Another condition without its dependency task. Its subconditions keep theirs.
///
/// As in the original, this condition takes only the other's closure, so a silent ``NegateTaskCondition`` negates nothing.
public final class SilentTaskCondition: TaskCondition, @unchecked Sendable {
    /// Takes the closure and the subconditions of another condition.
    public init(_ otherCondition: TaskCondition, fileID: StaticString = #fileID, line: UInt = #line) {
        super.init(
            subconditions: otherCondition.subconditions, fileID: fileID, line: line, evaluationClosure: otherCondition.evaluationClosure)
    }
}
