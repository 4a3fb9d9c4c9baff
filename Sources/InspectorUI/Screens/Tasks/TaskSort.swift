import TraceAnalysis
import TraceStore

/// The order of the task list.
package struct TaskSort: Hashable, Sendable {
    package var column = TaskColumn.state
    /// Whether the greatest comes first.
    package var isReversed = false

    package init(column: TaskColumn = .state, isReversed: Bool = false) {
        self.column = column
        self.isReversed = isReversed
    }
}

/// Order of interest: running tasks, then queued, then waiting; of the ended tasks, failures first.
enum StateRank: UInt8, CaseIterable {
    case running, suspended, queued, pending, faulted, cancelled, skipped, succeeded

    init(_ state: TaskState, isSkipped: Bool) {
        self =
            switch state {
            case .running: .running
            case .suspended: .suspended
            case .queued: .queued
            case .pending: .pending
            case .faulted: isSkipped ? .skipped : .faulted
            case .cancelled: isSkipped ? .skipped : .cancelled
            case .succeeded: isSkipped ? .skipped : .succeeded
            }
    }

    /// By the number that ``TaskFact/state`` is.
    static let byFact: [StateRank] = (0..<16).map { number in
        StateRank(TaskState(rawValue: UInt8(number & 7)) ?? .pending, isSkipped: number & 8 != 0)
    }

    var mark: StateMark {
        switch self {
        case .running: .running
        case .suspended: .suspended
        case .queued: .queued
        case .pending: .pending
        case .faulted: .faulted
        case .cancelled: .cancelled
        case .skipped: .skipped
        case .succeeded: .succeeded
        }
    }
}
