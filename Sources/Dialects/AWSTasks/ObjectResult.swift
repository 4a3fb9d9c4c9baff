import Foundation
import TaskRuntime

/// What a task of this dialect comes to: an object or nil, as in Objective-C.
///
/// It is unchecked: as in the original, whether an object may be used on the thread that a continuation runs on is its owner's business.
package struct ObjectResult: @unchecked Sendable {
    package let object: AnyObject?

    /// Swift values become the objects that stand for them, such as `NSString`, or a box that casts back to the value. No value is nil.
    package init(_ value: Any?) {
        let value = value.flatMap(unwrapped)
        object = value is Void ? nil : value.map { $0 as AnyObject }
    }
}

/// A value out of the optionals around it: a nil that was returned as `Any` stays a nil.
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

/// Every ``AWSTask``, whatever its results' type: a generic class of Swift is another type for each, and a returned task is followed all the same.
package protocol ObjectTask: AnyObject, Sendable {
    var chain: ChainTask<ObjectResult> { get }
}

extension ChainTask<ObjectResult>.Returned {
    /// A task is followed; anything else, an error too, is the result.
    package init(_ value: Any?) {
        if let task = value as? any ObjectTask {
            self = .task(task.chain)
        } else {
            self = .value(ObjectResult(value))
        }
    }
}
