/// A condition that an expression decides. It is evaluated each time the condition is.
public final class BooleanTaskCondition: TaskCondition, @unchecked Sendable {
    public init(_ valueClosure: @autoclosure @escaping @Sendable () -> Bool, fileID: StaticString = #fileID, line: UInt = #line) {
        super.init(fileID: fileID, line: line) { result in result(valueClosure() ? .Satisfied : .NotSatisfied) }
    }
}
