import Foundation
import TaskRuntime

/// The result of an asynchronous method, of the AWS SDK and, as `BFTask`, of Bolts.
///
/// It does as Bolts-ObjC 1.9.1 does, whose code the SDK's is. Where the guides say otherwise, the library is followed:
/// - "Continuations are executed on a background thread": by default they run on the thread that ends the task, or, added later, at once
///   on the thread that adds them.
/// - "An exception in a continuation is the task's": not since 1.9.0; a block reports an error by returning a task that has one.
///
/// Results are objects, and unchecked ones: a task says of its results' type what its maker says. Several of these may stand for one task
/// of the runtime; they are equal. Any thread may use a task.
public final class AWSTask<ResultType: AnyObject>: NSObject, ObjectTask, @unchecked Sendable {
    // Immutable but for what NSObject holds, which is nothing.

    package let chain: ChainTask<ObjectResult>

    package init(chain: ChainTask<ObjectResult>) {
        self.chain = chain
    }

    // MARK: Finished tasks

    /// A task that has succeeded. It is called `result` unless a name is given.
    public convenience init(result: ResultType?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(chain: ChainTask(ended: .success(ObjectResult(result)), TaskLabel(name, or: "result", fileID, line)))
    }

    /// A task that has failed. It is called `error` unless a name is given.
    public convenience init(error: any Error, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(chain: ChainTask(ended: .faulted(error), TaskLabel(name, or: "error", fileID, line)))
    }

    /// A task that was cancelled. It is called `cancelled` unless a name is given.
    public static func cancelled(
        name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> AWSTask<ResultType> {
        AWSTask(chain: ChainTask(ended: .cancelled, TaskLabel(name, or: "cancelled", fileID, line)))
    }

    /// The same task with another idea of its results' type: what Objective-C does by a cast.
    public convenience init<Other>(_ task: AWSTask<Other>) {
        self.init(chain: task.chain)
    }

    // MARK: What it came to

    /// Its result; nil while it is pending, if it did not succeed, and if that is its result. Ends the program if the result is of another
    /// type than this task says.
    public var result: ResultType? {
        guard let object = chain.result?.object else { return nil }
        guard let result = object as? ResultType else {
            fatalError("The result of this AWSTask<\(ResultType.self)> is \(Swift.type(of: object)): \(object)")
        }
        return result
    }

    /// Its error, which counts as read from then on; nil unless it has failed.
    ///
    /// It is the very error that it was given. Off Apple's systems `as? NSError` takes only what was made as one.
    public var error: (any Error)? { chain.error }

    /// Whether it was cancelled. Such a task has neither result nor error, and is not faulted.
    public var isCancelled: Bool { chain.isCancelled }

    /// Whether it has failed. Asking this does not read the error.
    public var isFaulted: Bool { chain.isFaulted }

    /// Whether it has ended, in any way.
    public var isCompleted: Bool { chain.isCompleted }

    /// Blocks the calling thread until the task has ended. Its continuations may not have run by then.
    ///
    /// On the main thread it says in the log that this is no good place, also if the task has ended; and it waits there forever for a
    /// task that only the main thread could end.
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
        chain.wait()
    }

    // MARK: As an object

    /// In the original's words: `<AWSTask: 0x…; completed = YES; cancelled = NO; faulted = NO; result = (null)>`, the result only of an
    /// ended task.
    public override var description: String {
        let address = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
        let result = chain.result?.object.map { "\($0)" } ?? "(null)"
        return "<AWSTask: 0x\(address); completed = \(yesOrNo(isCompleted)); cancelled = \(yesOrNo(isCancelled)); "
            + "faulted = \(yesOrNo(isFaulted));\(isCompleted ? " result = \(result)" : "")>"
    }

    private func yesOrNo(_ truth: Bool) -> String { truth ? "YES" : "NO" }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? any ObjectTask)?.chain === chain
    }

    public override var hash: Int { ObjectIdentifier(chain).hashValue }
}
