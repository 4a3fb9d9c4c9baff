import Foundation
import TaskEvents
import TaskRuntime

/// The common part of ``Task`` and ``NonFailableTask``. Any thread may use it, and any code may finish it.
///
/// A task ends once: the first attempt to finish it wins, and later ones are ignored and noted in the trace. As in the original, releasing
/// a task that has not ended traps in debug builds.
public class BaseTask<V: Sendable>: TaskType, @unchecked Sendable {
    // Mutable state is in the runtime's task or behind `decision`'s lock.

    /// The runtime's task behind this one. With `import TaskRuntime` it offers continuations and joins, which the original lacks.
    public let chainTask: ChainTask<V>
    private let decision = Guarded(Decision.open)

    /// The first attempt to end the task.
    private enum Decision {
        case open
        case finished
        /// The error that cancelled the task.
        case cancelled(any Error)
    }

    init(_ chainTask: ChainTask<V>) {
        self.chainTask = chainTask
    }

    deinit {
        assert(finished, "Either value or error were never assigned or task was never cancelled.")
    }

    // MARK: Outcome

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The task's value; nil while it is pending, and after an error.
    public final var value: V! { chainTask.result }

    /// The task's error, also that of a cancellation. This access counts as reading the error.
    public final var error: (any Error)? {
        chainTask.isCancelled ? cancellationError : chainTask.error
    }

    /// Whether the task has ended, in any way.
    public final var finished: Bool { chainTask.isCompleted }

    /// The error of a cancelled task. The inspector cancels a task without an error, so there is a default.
    final var cancellationError: any Error {
        decision.withLock { decision in
            switch decision {
            case .cancelled(let error): error
            case .open, .finished: TaskCancellation.error
            }
        }
    }

    // MARK: Finishing

    /// Finishes a task whose value is `Void`; traps for any other type, as in the original.
    public final func finish(fileID: StaticString = #fileID, line: UInt = #line) {
        guard let value = () as? V else { fatalError("`Self.ValueType` is not `Void`.") }
        end(with: value, .set(Emit.label(name: nil, or: "finish", fileID: fileID, line: line)))
    }

    /// Ends the task with a value, unless it has ended. Any thread may call it.
    public final func finishWithValue(_ value: V, fileID: StaticString = #fileID, line: UInt = #line) {
        end(with: value, .set(Emit.label(name: nil, or: "finishWithValue", fileID: fileID, line: line)))
    }

    final func end(with value: V, _ cause: EndCause) {
        decide(.finished, .success(value), cause)
    }

    /// Ends the task with an error, or cancels it if the error means a cancellation.
    final func end(with error: any Error, _ cause: EndCause) {
        if TaskCancellation.isMeant(by: error) {
            decide(.cancelled(error), .cancelled, cause)
        } else {
            decide(.finished, .faulted(error), cause)
        }
    }

    /// Cancels the task unless it has ended. Cancelling an ended task is allowed, so this end has no site.
    final func endCancelled() {
        decide(.cancelled(TaskCancellation.error), .cancelled, .set(.none))
    }

    private func decide(_ ending: Decision, _ outcome: Outcome<V>, _ cause: EndCause) {
        let earlier = decision.withLock { decision in
            defer { if case .open = decision { decision = ending } }
            return decision
        }
        if case .open = earlier, chainTask.end(ChainTask.End(outcome, cause)) { return }
        // Finishing a cancelled task is allowed, because its body may not know of the cancellation yet. Bodies and `cancel` have no site.
        if case .set(let site) = cause, site != .none, !chainTask.isCancelled {
            Emit.completedTwice(chainTask.id, site: site, isError: false)
        }
    }

    // MARK: Waiting

    /// Blocks the calling thread until the task has ended. As in the original, traps in debug builds on the main queue's thread, even if
    /// the task has ended.
    @available(*, noasync)
    final func waitForCompletion() {
        assert(!ChainExecutor.isOnMain, "Cannot wait task on main thread.")
        chainTask.wait(in: .none)
    }
}

/// A task of either kind, as observers see it.
public protocol TaskType: AnyObject, Sendable {
    /// Whether the task has ended.
    var finished: Bool { get }
}

/// A task that can fail or be cancelled.
public protocol FailableTaskType: TaskType {
    /// Whether the task ended with an error of code `NSUserCancelledError`, whatever its domain.
    var cancelled: Bool { get }

    /// Ends the task as cancelled, unless it has ended. A body that runs is not stopped and should check ``cancelled``.
    func cancel()
}

/// A task that always ends with a value.
public protocol NonFailableTaskType: TaskType {}
