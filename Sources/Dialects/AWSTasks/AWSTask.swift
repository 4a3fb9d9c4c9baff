import Foundation
import TaskEvents
import TaskRuntime

/// The result of an asynchronous method of the AWS SDK or, as `BFTask`, of Bolts.
///
/// It behaves as in Bolts-ObjC 1.9.1, from which the SDK's code comes. Where a guide contradicts that code, the code is followed:
/// - "Continuations are executed on a background thread": by default they run on the thread that ends the task. A continuation added to an
///   ended task runs at once on the adding thread.
/// - "An exception in a continuation is the task's": not since 1.9.0. A block reports an error by returning a failed task.
///
/// Results are objects whose type is not checked until ``result`` is read. Several `AWSTask`s may refer to one task of the runtime; they
/// are equal. Any thread may use a task.
public final class AWSTask<ResultType: AnyObject>: NSObject, ObjectTask, @unchecked Sendable {
    // Unchecked because of NSObject; all properties are immutable.

    package let chain: ChainTask<ObjectResult>

    package init(chain: ChainTask<ObjectResult>) {
        self.chain = chain
    }

    // MARK: Finished tasks

    /// A task that has succeeded.
    public convenience init(result: ResultType?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(chain: ChainTask(ended: .success(ObjectResult(result)), TaskLabel(name, or: "result", fileID, line)))
    }

    /// A task that has failed.
    public convenience init(error: any Error, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(chain: ChainTask(ended: .faulted(error), TaskLabel(name, or: "error", fileID, line)))
    }

    /// A cancelled task.
    public static func cancelled(
        name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> AWSTask<ResultType> {
        AWSTask(chain: ChainTask(ended: .cancelled, TaskLabel(name, or: "cancelled", fileID, line)))
    }

    /// The same task with another result type. In Objective-C this is a cast.
    public convenience init<Other>(_ task: AWSTask<Other>) {
        self.init(chain: task.chain)
    }

    // MARK: Outcome

    /// The result; nil if the task is pending, did not succeed, or succeeded with nil. Traps if the result has another type.
    public var result: ResultType? {
        guard let object = chain.result?.object else { return nil }
        guard let result = object as? ResultType else {
            fatalError("The result of this AWSTask<\(ResultType.self)> is \(Swift.type(of: object)): \(object)")
        }
        return result
    }

    /// The error, which counts as read from then on; nil unless the task has failed.
    ///
    /// The error is not converted. On Linux, `as? NSError` succeeds only for an error that was created as an `NSError`.
    public var error: (any Error)? { chain.error }

    /// Whether the task was cancelled. A cancelled task has neither result nor error.
    public var isCancelled: Bool { chain.isCancelled }

    /// Whether the task has failed. This does not count as reading the error.
    public var isFaulted: Bool { chain.isFaulted }

    /// Whether the task has ended.
    public var isCompleted: Bool { chain.isCompleted }

    /// Blocks the calling thread until the task has ended. Its continuations may run later.
    ///
    /// On the main thread this logs a warning, even if the task has ended, and deadlocks if only the main thread can end the task.
    @available(*, noasync, message: "continue with it instead")
    public func waitUntilFinished() {
        if ChainExecutor.isOnMain {
            NSLog(
                "%@",
                """
                Warning: A long-running operation is being executed on the main thread. 
                 Break on awsbf_warnBlockingOperationOnMainThread() to debug.
                """)
        }
        chain.wait(in: .none)
    }

    // MARK: NSObject

    /// As in the original: `<AWSTask: 0x…; completed = YES; cancelled = NO; faulted = NO; result = (null)>`, with the result only after the
    /// end.
    public override var description: String {
        let address = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
        let result = chain.result?.object.map { "\($0)" } ?? "(null)"
        return "<AWSTask: 0x\(address); completed = \(yesOrNo(isCompleted)); cancelled = \(yesOrNo(isCancelled)); "
            + "faulted = \(yesOrNo(isFaulted));\(isCompleted ? " result = \(result)" : "")>"
    }

    private func yesOrNo(_ truth: Bool) -> String { truth ? "YES" : "NO" }

    /// Whether both are handles of one task.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? any ObjectTask)?.chain === chain
    }

    /// Equal for handles of one task.
    public override var hash: Int { ObjectIdentifier(chain).hashValue }
}
