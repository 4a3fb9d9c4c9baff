import Foundation

/// The variable with the values of an exit test. The separator is in no value.
private let variable = "HOPSCOPE_TEST_VALUES"
private let separator: Character = "\u{1F}"

/// The exit test asked for other values than its test passes.
private struct NotPassed: Error {
    let types: [Any.Type]
}

/// Passes values to the exit test that `body` starts, which takes them with ``passed(_:)``.
///
/// Swift Testing passes captured values only since Swift 6.3. The values are in the environment while `body` runs; tests run one at a time, so
/// no other process inherits them.
@discardableResult
package func passing<each Value: LosslessStringConvertible, Result>(
    _ values: repeat each Value, to body: () async throws -> Result
) async rethrows -> Result {
    var texts: [String] = []
    for value in repeat each values { texts.append(value.description) }
    setenv(variable, texts.joined(separator: String(separator)), 1)
    defer { unsetenv(variable) }
    return try await body()
}

/// The values that the test passes to this process, in the same order. Throws if their number or a type differs.
package func passed<each Value: LosslessStringConvertible>(_ types: repeat (each Value).Type) throws -> (repeat each Value) {
    let text = ProcessInfo.processInfo.environment[variable] ?? ""
    var texts = text.split(separator: separator, omittingEmptySubsequences: false)[...]
    func next<One: LosslessStringConvertible>(_ type: One.Type) throws -> One {
        guard let value = texts.popFirst().flatMap({ One(String($0)) }) else { throw NotPassed(types: [type]) }
        return value
    }
    return try (repeat next(each types))
}
