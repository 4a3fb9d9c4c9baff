import Synchronization
import TaskEvents

/// Decides the outcome of a task. Any thread may use it.
///
/// `set` returns when all inline continuations have run. Setting twice is a programming error: it traps and names both call sites. The
/// `try` methods return false instead. Releasing a source whose task is pending fails the task with ``BrokenSourceError``.
public final class TaskCompletionSource<Value: Sendable>: Sendable {
    // All fields are as small as possible: a pending task and its source take 160 bytes. No field is aligned to two words, because the
    // allocator serves such objects on a slow path.

    /// The file of the call that set the task; 0 before.
    private let setFile = Atomic<UInt>(0)
    /// The line of that call. It follows the file at once.
    private let setLine = Atomic<UInt>(unsetLine)
    /// The task that the source decides.
    public let task: ChainTask<Value>
    private let name: SourceName

    /// Without `name`, the task is named after the calling function.
    @inlinable
    public convenience init(
        name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) {
        self.init(of: ChainTask(kind: .source, name: name, or: function, fileID: fileID, line: line), name, function)
    }

    @usableFromInline
    init(of task: ChainTask<Value>, _ name: String?, _ function: StaticString) {
        self.task = task
        self.name = SourceName(name, or: function)
    }

    deinit {
        guard !task.isCompleted else { return }
        Trampoline.run { task.endFaulted(with: BrokenSourceError(name: "\(name)"), .own, &$0) }
    }

    // MARK: Setting

    /// Ends the task with `value`.
    public func set(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) {
        must(fileID, line) { task.end(with: value, $0, &$1) }
    }

    /// Fails the task, even with a `CancellationError`: only `throw` cancels.
    public func set(error: any Error, fileID: StaticString = #fileID, line: UInt = #line) {
        must(fileID, line) { task.endFaulted(with: error, $0, &$1) }
    }

    /// Ends the task as cancelled.
    public func setCancelled(fileID: StaticString = #fileID, line: UInt = #line) {
        must(fileID, line) { task.endCancelled($0, &$1) }
    }

    // MARK: Trying to set

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySet(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        attempt(fileID, line) { task.end(with: value, $0, &$1) }
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySet(error: any Error, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        attempt(fileID, line) { task.endFaulted(with: error, $0, &$1) }
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetCancelled(fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        attempt(fileID, line) { task.endCancelled($0, &$1) }
    }

    /// Ends the task and returns whether it did. An `Outcome` as the parameter would cost a look-up of its metadata at each call.
    private typealias Ending = (EndCause, inout Trampoline) -> Bool

    private func attempt(_ fileID: StaticString, _ line: UInt, _ ending: Ending) -> Bool {
        if end(fileID, line, ending) { return true }
        Emit.completedTwice(task.id, site: Emit.setSite(fileID, line), isError: false)
        return false
    }

    private func must(_ fileID: StaticString, _ line: UInt, _ ending: Ending) {
        if end(fileID, line, ending) { return }
        Emit.completedTwice(task.id, site: Emit.setSite(fileID, line), isError: !task.isOverruled)
        guard !task.isOverruled else { return }
        let first = firstSite.map { "at \($0)" } ?? "by something else"
        let text = "'\(name)' was set a second time at \(fileID):\(line); it had been set \(first)"
        guard let order = Exploration.current else { fatalError("\(text).") }
        order.noteSetTwice(text)
    }

    private func end(_ fileID: StaticString, _ line: UInt, _ ending: Ending) -> Bool {
        let file = UInt(bitPattern: fileID.utf8Start)
        Exploration.point(fileID, line)
        guard setFile.compareExchange(expected: 0, desired: file, ordering: .acquiringAndReleasing).exchanged else { return false }
        setLine.store(line, ordering: .releasing)
        var hasEnded = false
        Trampoline.run { hasEnded = ending(.set(Emit.setSite(fileID, line)), &$0) }
        return hasEnded
    }

    /// The place of the call that set the task, in words; nil if none has.
    private var firstSite: String? {
        guard let file = UnsafePointer<UInt8>(bitPattern: setFile.load(ordering: .acquiring)) else { return nil }
        var line = unsetLine
        // The other thread is between two instructions of `end`.
        while line == unsetLine { line = setLine.load(ordering: .acquiring) }
        return "\(String(cString: file)):\(line)"
    }
}

/// No line of a file.
private let unsetLine = UInt.max

/// The name of a source's task. A function's name is not copied, because it is part of the program.
///
/// It is not nested in the source, because the metadata of a generic type's member is looked up at each use.
private enum SourceName: CustomStringConvertible, @unchecked Sendable {
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

    init(_ name: String?, or function: StaticString) {
        if let name { self = .given(Given(name)) } else { self = .function(function.utf8Start) }
    }

    var description: String {
        switch self {
        case .given(let given): given.name
        case .function(let name): String(cString: name)
        }
    }
}
