import TaskEvents
import TraceLayout
import TraceStore

/// The user's choices on the Graph screen, and the window of rails that they lead to.
package struct GraphState {
    /// Tasks whose rows a frame brings up to date, at most: the rest of a burst waits for the next frames.
    static let updatesPerFrame = 6144
    /// Runs of rows whose lanes a frame follows, at most.
    static let runsPerFrame = 48
    /// Tasks that may wait to be placed before it is cheaper to ask the store for all of them.
    static let queueLimit = 2_000_000

    var rails = Rails()
    /// Whether the selected chain is shown as boxes, and not all tasks as rails.
    package internal(set) var showsBoxes = false
    package internal(set) var boxes = BoxesState()
    /// The newest tasks stay in sight, until the user moves.
    package internal(set) var isFollowing = true
    /// Columns that the view is moved to the right by.
    package internal(set) var pan = 0

    /// The rows on the screen.
    package internal(set) var rows: [RailsRow] = []
    /// The row that the first of them is.
    package internal(set) var top = 0
    /// Lanes that the rails take near the window.
    package internal(set) var lanes = 1
    /// The task that stays where it is while rows come in above it, and the line of the screen it stands in.
    private var anchor: (task: TaskID, line: Int)?

    private var queue: [TaskID] = []
    private var nextInQueue = 0
    private var evictedCount = 0

    /// Whether the next frame would show the same.
    private(set) var isSettled = true

    /// Tasks that wait to be placed.
    var waitingCount: Int { queue.count - nextInQueue }

    mutating func note(_ events: [TaskEvent], in store: TraceStore) {
        rails.tasksToUpdate(after: events, in: store, into: &queue)
        guard queue.count - nextInQueue > Self.queueLimit else { return }
        queue = store.rows.map { store[$0].id }
        nextInQueue = 0
    }

    /// The state is that of another time. With the events in between, in either direction, what they are about is brought up to date; without,
    /// everything is.
    mutating func travel(over passed: [EventStretch]?, to store: TraceStore) {
        guard let passed else {
            rails = Rails()
            queue = store.rows.map { store[$0].id }
            nextInQueue = 0
            evictedCount = store.evictedCount
            return
        }
        for event in passed.lazy.flatMap(\.events) where event.task != .none {
            queue.append(event.task)
            if event.kind == .created || event.kind == .antecedent, event.otherTask != .none { queue.append(event.otherTask) }
        }
    }

    /// Gives a portion of the tasks that came their rows, and takes the rows of those that have gone.
    mutating func place(_ store: TraceStore) {
        let end = min(queue.count, nextInQueue + Self.updatesPerFrame)
        while nextInQueue < end {
            rails.update(queue[nextInQueue], in: store)
            nextInQueue += 1
        }
        if nextInQueue == queue.count {
            queue.removeAll(keepingCapacity: queue.count < Self.updatesPerFrame)
            nextInQueue = 0
        }
        if store.evictedCount != evictedCount {
            rails.sweep(rows: min(2 * (store.evictedCount - evictedCount) + 1024, 16_384), in: store)
            if rails.count <= store.keptCount + waitingCount { evictedCount = store.evictedCount }
        }
        rails.numberRows()
    }

    /// Finds the rows and lanes of the window.
    mutating func layOut(_ store: TraceStore, height: Int) {
        isSettled = rails.settle(throughRow: isFollowing ? .max : top + height, runLimit: Self.runsPerFrame, in: store)
        if isFollowing {
            top = max(0, rails.count - height)
        } else if let anchor, let row = rails.row(of: anchor.task) {
            top = row - anchor.line
        }
        top = max(0, min(top, rails.count - height))
        rows = rails.window(top..<top + height, in: store)
        lanes = rails.width(near: top..<top + height)
    }

    // MARK: Moving

    /// Scrolls to a row, and stays with the task there.
    mutating func scroll(to row: Int, height: Int) {
        isFollowing = false
        top = max(0, min(row, rails.count - height))
        anchor = rails.count > 0 ? (rails.task(atRow: min(top, rails.count - 1)), 0) : nil
    }

    /// Scrolls as little as shows a row, and stays with the task in it.
    mutating func show(_ row: Int, height: Int) {
        isFollowing = false
        if row < top { top = row }
        if row >= top + height { top = row - height + 1 }
        anchor = (rails.task(atRow: row), row - top)
    }
}
