import TaskEvents

/// A value that will be there later, or an error, or a cancellation; and the point from which a chain goes on.
///
/// A task ends exactly once. Its continuations are called in the order they were added, with no lock held. A caller that adds a
/// continuation to an ended task sees it run, through its executor, before the next line. Any thread may use a task.
///
/// The line of ancestors is Bolts (`BFTask`, `AWSTask`), SwiftTask and AlecrimAsyncKit; where they differ, this type does as the
/// member's comment says, and each library's own ways are in a module of its own.
public final class ChainTask<Value: Sendable>: AnyChainTask, @unchecked Sendable {
    /// Written once, by the body or after `claim()`, before the end is published.
    @usableFromInline
    @exclusivity(unchecked) var storage: Value?

    @inlinable
    override init(rootOn executor: ChainExecutor, _ name: String?, _ fileID: StaticString, _ line: UInt, _ function: StaticString) {
        super.init(rootOn: executor, name, fileID, line, function)
    }

    @inlinable
    override init(
        after antecedent: AnyChainTask, on executor: ChainExecutor, _ name: String?, _ fileID: StaticString, _ line: UInt,
        _ function: StaticString
    ) {
        super.init(after: antecedent, on: executor, name, fileID, line, function)
    }

    override init(
        kind: TaskKind, name: String?, or function: StaticString, fileID: StaticString, line: UInt, antecedent: AnyChainTask? = nil
    ) {
        super.init(kind: kind, name: name, or: function, fileID: fileID, line: line, antecedent: antecedent)
    }

    // MARK: Finished tasks

    /// A task that has succeeded. It begins a chain, is called `value` unless a name is given, and belongs to no executor.
    public convenience init(_ value: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(kind: .root, name: name, or: "value", fileID: fileID, line: line)
        Trampoline.run { end(with: value, .own, &$0) }
    }

    /// A task that has failed, also if the error is a `CancellationError`: only `throw` cancels. It is called `error` unless a name is
    /// given.
    public convenience init(error: any Error, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(kind: .root, name: name, or: "error", fileID: fileID, line: line)
        Trampoline.run { endFaulted(with: error, .own, &$0) }
    }

    /// A task that was cancelled. It is called `cancelled` unless a name is given.
    public static func cancelled(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) -> ChainTask<Value> {
        let task = ChainTask<Value>(kind: .root, name: name, or: "cancelled", fileID: fileID, line: line)
        Trampoline.run { task.endCancelled(.set(.none), &$0) }
        return task
    }

    // MARK: What it came to

    /// How it ended; nil while it is pending. Looking at a failed task's outcome reads its error.
    public var outcome: Outcome<Value>? {
        switch currentEnding {
        case .none: nil
        case .succeeded: .success(storage!)
        case .faulted: error.map { .faulted($0) }
        case .cancelled: .cancelled
        }
    }

    /// Its value; nil while it is pending and if it did not succeed. This reads no error.
    public var result: Value? {
        currentEnding == .succeeded ? storage : nil
    }

    // MARK: Ending it

    /// Ends the task, unless it has ended. Returns whether this call ended it.
    @discardableResult
    func end(with value: Value, _ cause: EndCause, _ trampoline: inout Trampoline) -> Bool {
        guard claim() else { return false }
        storage = value
        succeed(cause, &trampoline)
        return true
    }

    override func adoptValue(of other: AnyChainTask) {
        storage = unsafeDowncast(other, to: ChainTask<Value>.self).storage
    }
}
