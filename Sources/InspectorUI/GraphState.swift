import TaskEvents
import TraceFile
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

    /// The lines on the screen.
    package internal(set) var lines: [GraphLine] = []
    /// The row that the first of them is, or begins with.
    package internal(set) var top = 0
    /// Lanes that the rails take near the window.
    package internal(set) var lanes = 1
    /// What is folded, and what the user has unfolded.
    private(set) var folds = RailFolds()
    /// The task that stays where it is while rows come in above it, and the line of the screen it stands in.
    private var anchor: (task: TaskID, line: Int)?
    /// The lines' rows, for moving between two frames.
    private var spans: [LineSpan] = []

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

    /// Finds the lines and lanes of the window.
    mutating func layOut(_ store: TraceStore, height: Int, selection: TaskID?) {
        keep(selection, store)
        let isAllSeen = findLines(store, height: height)
        isSettled =
            rails.settle(throughRow: isFollowing ? .max : spans.last?.rows.upperBound ?? 0, runLimit: Self.runsPerFrame, in: store)
            && isAllSeen
        lines = rails.lines(spans, in: store)
        lanes = rails.width(near: spans)
    }

    /// The tasks that have lines of their own on the screen.
    package var rows: [RailsRow] {
        lines.compactMap { line in
            if case .task(let row) = line { row } else { nil }
        }
    }

    /// Which rows the window's lines are; false if a further call would see more.
    @discardableResult
    private mutating func findLines(_ store: TraceStore, height: Int) -> Bool {
        var walk = FoldWalk(folds, in: rails)
        let end = rails.count - 1
        if isFollowing {
            top = walk.line(from: end, by: 1 - height, of: &rails, in: store).rows.lowerBound
        } else if let anchor, let row = rails.row(of: anchor.task) {
            top = walk.line(from: row, by: -anchor.line, of: &rails, in: store).rows.lowerBound
        }
        spans = walk.lines(from: max(0, min(top, end)), count: height, of: &rails, in: store)
        if spans.count < height, top > 0 {
            top = walk.line(from: end, by: 1 - height, of: &rails, in: store).rows.lowerBound
            spans = walk.lines(from: top, count: height, of: &rails, in: store)
        }
        top = spans.first?.rows.lowerBound ?? 0
        return !walk.isExhausted
    }

    // MARK: Moving

    /// Scrolls by so many lines, and stays with what is at the top then.
    mutating func scroll(by lines: Int, height: Int, _ store: TraceStore) {
        guard rails.count > 0 else { return }
        var walk = FoldWalk(folds, in: rails)
        isFollowing = false
        top = walk.line(from: top, by: lines, of: &rails, in: store).rows.lowerBound
        anchor = (rails.task(atRow: top), 0)
        findLines(store, height: height)
    }

    /// Scrolls as little as shows a row, and stays with the task in it.
    mutating func show(_ row: Int, height: Int, _ store: TraceStore) {
        keep(rails.task(atRow: row), store)
        isFollowing = false
        let line = spans.firstIndex { $0.rows.contains(row) } ?? (row < top ? 0 : height - 1)
        anchor = (rails.task(atRow: row), min(line, height - 1))
        findLines(store, height: height)
    }

    /// The row of a task so many lines away from another row, past what is folded.
    mutating func row(_ lines: Int, from row: Int, _ store: TraceStore) -> Int {
        var walk = FoldWalk(folds, in: rails)
        return walk.taskRow(from: row, by: lines, of: &rails, in: store)
    }

    /// The line of the screen, as of the last frame or move.
    func span(atLine line: Int) -> LineSpan? {
        spans.indices.contains(line) ? spans[line] : nil
    }

    // MARK: Folding

    /// Unfolds siblings, or folds them again.
    mutating func toggle(_ siblings: Rail) {
        if folds.unfolded.remove(siblings) == nil { folds.unfolded.insert(siblings) }
    }

    /// Shows all rows, or folds what can be.
    mutating func toggleAll() {
        folds.areUnfolded.toggle()
        folds.unfolded = []
    }

    private mutating func keep(_ task: TaskID?, _ store: TraceStore) {
        folds.kept = task.map { rails.path(of: $0, in: store) } ?? []
    }
}
