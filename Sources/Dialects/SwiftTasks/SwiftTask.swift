import AWSTasks
import Dispatch
import Foundation
import TaskRuntime

/// A task of the SwiftTask README, a port of Bolts in the ways of Facebook's `FBTask`: no executors, and **nothing ever runs inline**. Each
/// block goes through its queue every time, also that of a task which has ended.
///
/// The library was never published; where the README is silent, this does as `FBTask` or Bolts does, as the members say. Several of these
/// may stand for one task of the runtime; they are equal. Any thread may use a task.
public final class SwiftTask: NSObject, @unchecked Sendable {
    // Immutable but for what NSObject holds, which is nothing.

    let chain: ChainTask<ObjectResult>

    init(chain: ChainTask<ObjectResult>) {
        self.chain = chain
    }

    /// A task that has ended so; with `.NotDone` one that never will. It is called `completionValue` unless a name is given.
    public convenience init(
        completionValue: SwiftTaskCompletionValue, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "completionValue", fileID, line)
        self.init(chain: completionValue.outcome.map { ChainTask(ended: $0, label) } ?? .source(label))
    }

    // MARK: What it came to

    /// How it ended. Of a failed task this reads the error.
    public var completionValue: SwiftTaskCompletionValue { SwiftTaskCompletionValue(chain.outcome) }

    /// Its result; nil while it is pending, if it did not succeed, and if that is its result. This reads no error.
    public var result: AnyObject? { chain.result?.object }

    /// Its error, as it was given; nil unless it has failed, and if it failed by an exception.
    public var error: (any Error)? {
        chain.unreadError is SwiftTaskException ? nil : chain.error
    }

    /// What its block threw, or its source was given as an exception.
    public var exception: (any Error)? {
        guard chain.unreadError is SwiftTaskException else { return nil }
        return (chain.error as? SwiftTaskException)?.thrown
    }

    /// Whether it was cancelled.
    public var isCancelled: Bool { chain.isCancelled }

    /// Whether it has ended, **in any way**. The README's last sample takes it for success, which neither Bolts nor FBTask means by it.
    public var completed: Bool { chain.isCompleted }

    // MARK: As an object

    public override var description: String { "<SwiftTask: \(chain.unreadDescription)>" }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SwiftTask)?.chain === chain
    }

    public override var hash: Int { ObjectIdentifier(chain).hashValue }
}

extension ChainTask<ObjectResult> {
    /// The end in a word, which reads no error.
    fileprivate var unreadDescription: String {
        if let result { return "Result(\(result.object.map { "\($0)" } ?? "nil"))" }
        if let error = unreadError as? SwiftTaskException { return "Exception(\(error.thrown))" }
        if let error = unreadError { return "Error(\(error))" }
        return isCancelled ? "Cancelled" : "NotDone"
    }
}
