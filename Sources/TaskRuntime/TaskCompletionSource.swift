import Synchronization
import TaskEvents

/// Decides the outcome of a task. Any thread may use it.
///
/// `set` returns when all inline continuations have run. Setting twice is a programming error: it traps and names both call sites. The
/// `try` methods return false instead. Releasing a source whose task is pending fails the task with ``BrokenSourceError``.
public final class TaskCompletionSource<Value: Sendable>: Sendable {
    // The largest field comes first and all are as small as possible: a pending task and its source take 160 bytes.
    private let setAt = Atomic(WordPair(first: 0, second: 0))
    /// The task that the source decides.
    public let task: ChainTask<Value>
    private let name: Name

    /// The task's name. A function's name is not copied, because it is part of the program.
    private enum Name: CustomStringConvertible, @unchecked Sendable {
        // Unchecked because of the pointer, whose characters are immutable.

        case given(Given)
        case function(UnsafePointer<UInt8>)

        /// A separate object, because most sources have no given name.
        final class Given {
            let name: String

            init(_ name: String) {
                self.name = name
            }
        }

        var description: String {
            switch self {
            case .given(let given): given.name
            case .function(let name): String(cString: name)
            }
        }
    }

    /// A call site, in two words.
    private struct Site: CustomStringConvertible {
        let fileID: UnsafePointer<UInt8>
        let line: UInt

        init(_ fileID: StaticString, _ line: UInt) {
            self.fileID = fileID.utf8Start
            self.line = line
        }

        /// Nil if nothing has been set yet.
        init?(_ words: WordPair) {
            guard let fileID = UnsafePointer<UInt8>(bitPattern: words.first) else { return nil }
            self.fileID = fileID
            line = words.second
        }

        var words: WordPair { WordPair(first: UInt(bitPattern: fileID), second: line) }

        var description: String { "\(String(cString: fileID)):\(line)" }
    }

    /// Without `name`, the task is named after the calling function.
    public init(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function) {
        self.name = name.map { .given(Name.Given($0)) } ?? .function(function.utf8Start)
        task = ChainTask(kind: .source, name: name, or: function, fileID: fileID, line: line)
    }

    deinit {
        guard !task.isCompleted else { return }
        Trampoline.run { task.endFaulted(with: BrokenSourceError(name: "\(name)"), .own, &$0) }
    }

    // MARK: Setting

    /// Ends the task with `value`.
    public func set(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.success(value), fileID, line)
    }

    /// Fails the task, even with a `CancellationError`: only `throw` cancels.
    public func set(error: any Error, fileID: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.faulted(error), fileID, line)
    }

    /// Ends the task as cancelled.
    public func setCancelled(fileID: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.cancelled, fileID, line)
    }

    // MARK: Trying to set

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySet(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.success(value), fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySet(error: any Error, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.faulted(error), fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetCancelled(fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.cancelled, fileID, line)
    }

    private func tryToEnd(_ outcome: Outcome<Value>, _ fileID: StaticString, _ line: UInt) -> Bool {
        if end(outcome, fileID, line) { return true }
        Emit.completedTwice(task.id, site: Emit.setSite(fileID, line), isError: false)
        return false
    }

    private func mustEnd(_ outcome: Outcome<Value>, _ fileID: StaticString, _ line: UInt) {
        if end(outcome, fileID, line) { return }
        Emit.completedTwice(task.id, site: Emit.setSite(fileID, line), isError: !task.isOverruled)
        guard !task.isOverruled else { return }
        let first = Site(setAt.load(ordering: .acquiring)).map { "at \($0)" } ?? "by something else"
        fatalError("'\(name)' was set a second time at \(Site(fileID, line)); it had been set \(first).")
    }

    private func end(_ outcome: Outcome<Value>, _ fileID: StaticString, _ line: UInt) -> Bool {
        let unset = WordPair(first: 0, second: 0)
        guard setAt.compareExchange(expected: unset, desired: Site(fileID, line).words, ordering: .acquiringAndReleasing).exchanged
        else { return false }
        var hasEnded = false
        Trampoline.run { trampoline in
            let cause = EndCause.set(Emit.setSite(fileID, line))
            switch outcome {
            case .success(let value): hasEnded = task.end(with: value, cause, &trampoline)
            case .faulted(let error): hasEnded = task.endFaulted(with: error, cause, &trampoline)
            case .cancelled: hasEnded = task.endCancelled(cause, &trampoline)
            }
        }
        return hasEnded
    }
}
