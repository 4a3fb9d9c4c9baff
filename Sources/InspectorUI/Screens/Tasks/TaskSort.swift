import TraceAnalysis
import TraceStore

/// The order of the task list.
package struct TaskSort: Hashable, Sendable {
    package var column = TaskColumn.state
    /// Whether the greatest value comes first.
    package var isReversed = false

    package init(column: TaskColumn = .state, isReversed: Bool = false) {
        self.column = column
        self.isReversed = isReversed
    }
}

extension DisplayedState {
    /// Its index in ``byUrgency``.
    var rank: Int { Self.byUrgency.firstIndex(of: self) ?? 0 }

    /// The ranks by the value of ``TaskFact/state``.
    static let ranksByFact: [UInt64] = (0..<16).map { number in
        UInt64(DisplayedState(TaskState(rawValue: UInt8(number & 7)) ?? .pending, isSkipped: number & 8 != 0).rank)
    }
}
