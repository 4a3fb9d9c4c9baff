import TaskEvents
import TraceAnalysis
import TraceLayout
import TraceStore

/// The task that is looked at closely, and what of it is costly enough to be kept between frames.
package struct DetailState {
    /// Events that the list shows.
    static let eventLimit = 64
    /// Steps of an error's path that are looked for.
    static let stepLimit = 4096
    /// Nanoseconds between two searches for the task's events.
    static let pause: UInt64 = 250_000_000
    /// Rows of the chain above and below the task.
    static let chainMargin = 6

    package internal(set) var task: TaskID
    /// Lines that are above the screen.
    var scroll = 0
    package internal(set) var events: [NumberedEvent] = []
    /// The rails around the task.
    package internal(set) var rows: [RailsRow] = []
    /// The way of the error that the task ended with or took.
    package internal(set) var fault: FaultPath?
    private var searchedAt: (eventCount: Int, time: UInt64)?

    init(task: TaskID) {
        self.task = task
    }

    /// The state is that of another time: the next frame looks again.
    mutating func restart() {
        searchedAt = nil
    }

    mutating func arrange(_ store: TraceStore, rails: inout Rails, at now: UInt64) {
        if let row = rails.row(of: task) {
            let around = max(0, row - Self.chainMargin)..<row + Self.chainMargin + 1
            rails.settle(throughRow: around.upperBound, runLimit: GraphState.runsPerFrame, in: store)
            rows = relatives(in: rails.window(around, in: store), store)
        }
        if let searchedAt {
            guard searchedAt.eventCount != store.eventCount, now >= searchedAt.time + Self.pause else { return }
        }
        events = store.recentEvents(of: task, limit: Self.eventLimit)
        let faults = FaultAnalysis(store)
        fault = faults.origin(of: task).flatMap { faults.path(from: $0, limit: Self.stepLimit) }
        searchedAt = (store.eventCount, now)
    }

    /// The rows around the task's that a rail ties to it: its own chain, and chains linked in between.
    private func relatives(in rows: [RailsRow], _ store: TraceStore) -> [RailsRow] {
        guard let own = rows.firstIndex(where: { $0.task == task }) else { return [] }
        let chain = store.chain(of: task)
        let first = rows[...own].firstIndex { store.chain(of: $0.task) == chain } ?? own
        let last = rows[own...].lastIndex { store.chain(of: $0.task) == chain } ?? own
        return Array(rows[first...last])
    }
}

/// The help that lies over a screen.
package struct HelpState: Hashable, Sendable {
    package internal(set) var scroll = 0
}
