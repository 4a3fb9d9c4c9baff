import Foundation
import TaskEvents
import TaskRuntime

/// What ``Task`` and ``NonFailableTask`` have in common. Any thread may use one, and anybody who has it may finish it.
///
/// A task ends once: the first to finish it wins, and whoever comes later is ignored, which the trace notes. In debug builds, as in the
/// original, the program ends where a task is released that nobody has finished.
public class BaseTask<V: Sendable>: TaskType, @unchecked Sendable {
    // All that changes is in the runtime's task or behind the lock.

    /// The task of the runtime that this one is: with `import TaskRuntime`, for continuations, joins and whatever else the original lacks.
    public let chainTask: ChainTask<V>
    private let decision = Guarded(Decision.open)

    /// What was decided of the end, by whom came first.
    private enum Decision {
        case open
        case finished
        /// With the error that the task was cancelled with.
        case cancelled(any Error)
    }

    init(_ chainTask: ChainTask<V>) {
        self.chainTask = chainTask
    }

    deinit {
        assert(finished, "Either value or error were never assigned or task was never cancelled.")
    }

    // MARK: What it came to

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The value that it ended with; nil while it is pending, and after an error.
    public final var value: V! { chainTask.result }

    /// The error that it ended with, that of a cancellation included. Looking at it reads it.
    public final var error: (any Error)? {
        chainTask.isCancelled ? cancellationError : chainTask.error
    }

    public final var finished: Bool { chainTask.isCompleted }

    /// The error of a cancelled task: the inspector, too, may have cancelled it, who has none of his own.
    final var cancellationError: any Error {
        decision.withLock { decision in
            switch decision {
            case .cancelled(let error): error
            case .open, .finished: TaskCancellation.error
            }
        }
    }

    // MARK: Finishing it

    /// Finishes a task whose value is `Void`; for any other type the program ends, as in the original.
    public final func finish(fileID: StaticString = #fileID, line: UInt = #line) {
        guard let value = () as? V else { fatalError("`Self.ValueType` is not `Void`.") }
        end(with: value, .set(Emit.label(name: nil, or: "finish", fileID: fileID, line: line)))
    }

    public final func finishWithValue(_ value: V, fileID: StaticString = #fileID, line: UInt = #line) {
        end(with: value, .set(Emit.label(name: nil, or: "finishWithValue", fileID: fileID, line: line)))
    }

    final func end(with value: V, _ cause: EndCause) {
        decide(.finished, .success(value), cause)
    }

    /// Ends the task with an error; one that means a cancellation cancels it.
    final func end(with error: any Error, _ cause: EndCause) {
        if TaskCancellation.isMeant(by: error) {
            decide(.cancelled(error), .cancelled, cause)
        } else {
            decide(.finished, .faulted(error), cause)
        }
    }

    /// Cancels the task, unless it has ended: then, and also where it is finished later, there is nothing to say of it.
    final func endCancelled() {
        decide(.cancelled(TaskCancellation.error), .cancelled, .set(.none))
    }

    private func decide(_ ending: Decision, _ outcome: Outcome<V>, _ cause: EndCause) {
        let earlier = decision.withLock { decision in
            defer { if case .open = decision { decision = ending } }
            return decision
        }
        if case .open = earlier, chainTask.end(ChainTask.End(outcome, cause)) { return }
        // A body that learns late that its task was cancelled finishes it all the same, and neither a body nor `cancel` has a place.
        if case .set(let site) = cause, site != .none, !chainTask.isCancelled {
            Emit.completedTwice(chainTask.id, site: site, isError: false)
        }
    }

    // MARK: Waiting for it

    /// Blocks the calling thread until the task has ended. In debug builds the program ends where that is the main queue's thread, also if
    /// the task has ended by then, as in the original.
    @available(*, noasync)
    final func waitForCompletion() {
        assert(!ChainExecutor.isOnMain, "Cannot wait task on main thread.")
        chainTask.wait()
    }
}
