import TaskRuntime

/// The result of a task of this dialect: an object or nil, as in Objective-C.
///
/// Unchecked: as in the original, the object's owner ensures that the continuation's thread may use it.
package struct ObjectResult: @unchecked Sendable {
    package let object: AnyObject?

    /// Bridges a Swift value to an object such as `NSString`, or to a box that casts back to the value. `Void` becomes nil.
    package init(_ value: Any?) {
        let value = value.flatMap(unwrapped)
        object = value is Void ? nil : value.map { $0 as AnyObject }
    }
}

/// Removes all layers of optionals, so that a nil returned as `Any` is nil.
private func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any Wrapping else { return value }
    return optional.content.flatMap(unwrapped)
}

private protocol Wrapping {
    var content: Any? { get }
}

extension Optional: Wrapping {
    fileprivate var content: Any? { map { $0 } }
}

/// Every ``AWSTask``, independent of its result type.
package protocol ObjectTask: AnyObject, Sendable {
    var chain: ChainTask<ObjectResult> { get }
}

extension ChainTask<ObjectResult>.Returned {
    /// A task is followed; any other value is the result, even an error.
    package init(_ value: Any?) {
        if let task = value as? any ObjectTask {
            self = .task(task.chain)
        } else {
            self = .value(ObjectResult(value))
        }
    }
}
