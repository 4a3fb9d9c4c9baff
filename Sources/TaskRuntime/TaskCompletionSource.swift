import TaskEvents

/// The other end of a task: whoever holds the source decides what its task comes to. Any thread may use it.
///
/// `set` returns when all continuations that run inline have run. To set twice is a programming error and ends the program, naming both
/// places; the `try` forms answer false instead. Letting go of a source whose task is pending fails the task with ``BrokenSourceError``.
public final class TaskCompletionSource<Value: Sendable>: Sendable {
    /// The task that the source decides.
    public let task: ChainTask<Value>
    private let name: String
    private let setAt = Guarded<Site?>(nil)

    private struct Site: CustomStringConvertible {
        let file: StaticString
        let line: UInt

        var description: String { "\(file):\(line)" }

        /// The place as an entry of the trace.
        var label: EntryID { Emit.label(name: nil, or: "set", file: file, line: line) }
    }

    /// Without a name the task is called after the calling function.
    public init(name: String? = nil, file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function) {
        self.name = name ?? "\(function)"
        task = ChainTask(kind: .source, name: name, or: function, file: file, line: line)
    }

    deinit {
        guard !task.isCompleted else { return }
        Trampoline.run { task.endFaulted(with: BrokenSourceError(name: name), .own, &$0) }
    }

    // MARK: Setting

    public func set(_ value: Value, file: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.success(value), Site(file: file, line: line))
    }

    /// Fails the task, also with a `CancellationError`: only `throw` cancels.
    public func set(error: any Error, file: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.faulted(error), Site(file: file, line: line))
    }

    public func setCancelled(file: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.cancelled, Site(file: file, line: line))
    }

    // MARK: Trying to

    /// Whether this call decided the task.
    @discardableResult
    public func trySet(_ value: Value, file: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.success(value), Site(file: file, line: line))
    }

    /// Whether this call decided the task.
    @discardableResult
    public func trySet(error: any Error, file: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.faulted(error), Site(file: file, line: line))
    }

    /// Whether this call decided the task.
    @discardableResult
    public func trySetCancelled(file: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.cancelled, Site(file: file, line: line))
    }

    private func tryToEnd(_ outcome: Outcome<Value>, _ site: Site) -> Bool {
        if end(outcome, site) { return true }
        Emit.completedTwice(task.id, site: site.label, isError: false)
        return false
    }

    private func mustEnd(_ outcome: Outcome<Value>, _ site: Site) {
        if end(outcome, site) { return }
        Emit.completedTwice(task.id, site: site.label, isError: !task.isOverruled)
        guard !task.isOverruled else { return }
        let first = setAt.withLock { $0 }.map { "at \($0)" } ?? "by something else"
        fatalError("'\(name)' was set a second time at \(site); it had been set \(first).")
    }

    private func end(_ outcome: Outcome<Value>, _ site: Site) -> Bool {
        let isFirst = setAt.withLock { first in
            guard first == nil else { return false }
            first = site
            return true
        }
        guard isFirst else { return false }
        var hasEnded = false
        Trampoline.run { trampoline in
            let cause = EndCause.set(site.label)
            switch outcome {
            case .success(let value): hasEnded = task.end(with: value, cause, &trampoline)
            case .faulted(let error): hasEnded = task.endFaulted(with: error, cause, &trampoline)
            case .cancelled: hasEnded = task.endCancelled(cause, &trampoline)
            }
        }
        return hasEnded
    }
}
