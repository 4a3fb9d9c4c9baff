import TaskEvents
import TraceStore

/// The way of one cancellation: the code that asked for it, and the tasks that it reached.
package struct CancellationPath: Equatable, Sendable {
    /// How a task reacted to its cancellation, as far as the trace shows it.
    package enum Notice: Equatable, Sendable {
        /// The task had ended before.
        case tooLate
        /// The task's code found at this time that it is cancelled.
        case looked(UInt64)
        /// The task ended as cancelled. The trace has no look of it.
        case ended
        /// A cancellation handler ran. The trace has no look of the task.
        case handled
        /// The task went on, and the trace has no look of it.
        case none
        /// The trace cannot show whether the task noticed.
        case unknown
    }

    package struct Step: Equatable, Sendable {
        package let task: TaskID
        /// The task from whose cancellation this task has its own; `.none` for a task that the request named, or that was in its group.
        package let from: TaskID
        package let at: UInt64
        package let notice: Notice
        package let ended: UInt64?
        /// The code entry of the calls that the task awaited when it was cancelled. The cancellation ran their handlers.
        package let calls: EntryID

        /// The time at which the task's code first found that it is cancelled.
        package var looked: UInt64? { if case .looked(let time) = notice { time } else { nil } }
    }

    /// The task whose code asked; `.none` if no task did, or if the trace does not have it.
    package let asker: TaskID
    /// How the first task got the request. Nil for a task of a chain.
    package let request: CancellationRequest?
    /// The label of the place that asked; `.none` if the trace does not have it.
    package let site: EntryID
    package let at: UInt64
    /// In the order in which the cancellation reached the tasks.
    package internal(set) var steps: [Step]

    /// The task that the cancellation reached first.
    package var first: TaskID { steps[0].task }

    /// The place that asked; nil if the trace does not have it.
    package func place(in store: TraceStore) -> String? {
        guard let place = store.entries.label(site)?.site, !place.isEmpty else { return nil }
        return place
    }
}

extension CancellationPath.Step {
    /// The functions whose cancellation handlers ran when the task was cancelled, innermost first. Empty for a task that did not wait then:
    /// the trace does not show its handlers.
    package func handlers(in store: TraceStore) -> [CodeSymbol] { store.entries.cancellationHandlers(in: calls) }

    /// Whether the task ran on without a look, as the rule `late-cancel` has found. A task that only awaited its children did not.
    package func isLate(_ warnings: WarningIndex) -> Bool {
        notice == .none && warnings.findings(of: task).contains { $0.rule == LateCancel().id }
    }
}
