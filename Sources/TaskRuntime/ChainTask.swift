import TaskEvents

/// A value, error or cancellation that is or will be available, and to which continuations can be added.
///
/// A task ends exactly once. Its continuations are called in the order in which they were added, with no lock held. A continuation that is
/// added to an ended task is called at once, inline or through its executor's queue. Any thread may use a task.
///
/// The design follows Bolts (`BFTask`, `AWSTask`), SwiftTask and AlecrimAsyncKit. Where they differ, the member's comment states the
/// behaviour of this type. The behaviour of each library is available in a module of its own.
public final class ChainTask<Value: Sendable>: AnyChainTask, @unchecked Sendable {
    // Value and flag are written once, by the body or after `claim()`, before the end is published.
    //
    // An `Optional` field would be simpler, but to destroy it, code that is not specialised asks the runtime for the metadata of
    // `Optional<Value>`, which took an eighth of a link's instructions.
    @usableFromInline
    @exclusivity(unchecked) var hasValue = false
    /// The value, or a reference to the box of a value that has no room here.
    @usableFromInline
    @exclusivity(unchecked) var room: (UInt, UInt) = (0, 0)

    @inlinable
    override init(
        rootOn executor: borrowing ChainExecutor, _ name: borrowing String?, _ fileID: StaticString, _ line: UInt,
        _ function: StaticString
    ) {
        super.init(rootOn: executor, name, fileID, line, function)
    }

    @inlinable
    override init(
        after antecedent: borrowing AnyChainTask, on executor: borrowing ChainExecutor, _ name: borrowing String?, _ fileID: StaticString,
        _ line: UInt,
        _ function: StaticString
    ) {
        super.init(after: antecedent, on: executor, name, fileID, line, function)
    }

    @inlinable
    override init(
        kind: TaskKind, name: String?, or function: StaticString, fileID: StaticString, line: UInt, antecedent: AnyChainTask? = nil
    ) {
        super.init(kind: kind, name: name, or: function, fileID: fileID, line: line, antecedent: antecedent)
    }

    override init(ended name: String?, or function: StaticString, fileID: StaticString, line: UInt) {
        super.init(ended: name, or: function, fileID: fileID, line: line)
    }

    deinit {
        guard hasValue else { return }
        withUnsafeMutablePointer(to: &room) { room in
            if Self.hasRoom {
                _ = UnsafeMutableRawPointer(room).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
            } else {
                _ = UnsafeMutableRawPointer(room).assumingMemoryBound(to: ValueBox<Value>.self).deinitialize(count: 1)
            }
        }
    }

    // MARK: Finished tasks

    /// A task that has succeeded. It starts a chain and has no executor. Its name is `value` by default.
    public convenience init(_ value: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(ended: name, or: "value", fileID: fileID, line: line)
        store(value)
        succeedAtOnce()
    }

    /// A task that has failed, even if the error is a `CancellationError`: only `throw` cancels. Its name is `error` by default.
    public convenience init(error: any Error, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(ended: name, or: "error", fileID: fileID, line: line)
        Trampoline.run { endFaulted(with: error, .own, &$0) }
    }

    /// A cancelled task. Its name is `cancelled` by default.
    public static func cancelled(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) -> ChainTask<Value> {
        let task = ChainTask<Value>(ended: name, or: "cancelled", fileID: fileID, line: line)
        Trampoline.run { task.endCancelled(.set(.none), &$0) }
        return task
    }

    // MARK: Outcome

    /// The outcome; nil while the task is pending. For a failed task this counts as reading the error.
    public var outcome: Outcome<Value>? {
        switch currentEnding {
        case .none: nil
        case .succeeded: .success(storedValue)
        case .faulted: error.map { .faulted($0) }
        case .cancelled: .cancelled
        }
    }

    /// The value; nil while the task is pending, and if it did not succeed. This does not count as reading the error.
    public var result: Value? {
        currentEnding == .succeeded ? storedValue : nil
    }

    // MARK: Ending

    /// Ends the task with `value`, unless it has ended. Returns whether this call ended it.
    @discardableResult
    func end(with value: Value, _ cause: EndCause, _ trampoline: inout Trampoline) -> Bool {
        guard claim() else { return false }
        store(value)
        succeed(cause, &trampoline)
        return true
    }

    override func adoptValue(of other: AnyChainTask) {
        store(unsafeDowncast(other, to: ChainTask<Value>.self).storedValue)
    }
}

// MARK: - The value's room

/// A value that is larger than a task's room.
@usableFromInline
final class ValueBox<Value> {
    @usableFromInline let value: Value

    @inlinable init(_ value: Value) { self.value = value }
}

extension ChainTask {
    @inlinable @inline(__always)
    static var hasRoom: Bool {
        MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt)>.size && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
    }

    /// Writes the value, at most once.
    @inlinable
    func store(_ value: Value) {
        withUnsafeMutablePointer(to: &room) { room in
            if Self.hasRoom {
                UnsafeMutableRawPointer(room).initializeMemory(as: Value.self, to: value)
            } else {
                UnsafeMutableRawPointer(room).initializeMemory(as: ValueBox<Value>.self, to: ValueBox(value))
            }
        }
        hasValue = true
    }

    /// The value, which must have been written.
    @inlinable
    var storedValue: Value {
        precondition(hasValue, "a task that has not succeeded has no value")
        return withUnsafePointer(to: room) { room in
            if Self.hasRoom {
                UnsafeRawPointer(room).assumingMemoryBound(to: Value.self).pointee
            } else {
                UnsafeRawPointer(room).assumingMemoryBound(to: ValueBox<Value>.self).pointee.value
            }
        }
    }
}
