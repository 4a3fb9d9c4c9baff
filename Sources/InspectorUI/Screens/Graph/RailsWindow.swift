import TaskEvents
import TerminalCanvas
import TraceLayout
import TraceStore
import TraceTransport

/// All tasks as rails, and the visible part of them.
///
/// The rails follow the events only while they are shown. ``catchUp(with:)`` queues the tasks that have changed since, and ``place(_:)``
/// gives them their rows in portions. If the rails begin anew, all tasks are listed in portions too.
package struct RailsWindow {
    /// The largest number of tasks whose rows a frame updates. The rest of a burst waits for the next frames. A program that emits a
    /// million events a second makes about 4,000 tasks in the time of a frame.
    static let updatesPerFrame = 5 << 10
    /// The number of queued tasks from which on no further events are followed.
    private static let longQueue = 2 * updatesPerFrame
    /// The largest number of runs of rows whose lanes a frame assigns.
    static let runsPerFrame = 48
    /// The largest number of events that a frame follows.
    static let eventsPerFrame = 5 << 13
    /// The largest number of events that the rails follow one by one, forwards or backwards. If there are more, the rails begin anew.
    static let followLimit = 1 << 20
    static let travelLimit = 1 << 14
    /// The largest number of unused lanes that keep their room.
    static let spareLanes = 2
    /// The largest number of columns of horizontal scroll.
    static let panLimit = 160

    private(set) var rails = Rails()
    /// Whether the newest tasks stay visible. The user's first movement ends this.
    package private(set) var isFollowing = true
    /// The number of columns scrolled to the right.
    package private(set) var pan = 0
    /// The area of the rails.
    private(set) var area = Rect.empty

    /// The visible lines.
    package private(set) var lines: [GraphLine] = []
    /// The first row of the first visible line.
    package private(set) var top = 0
    /// The number of lanes that have room: at least those of the visible lines, and at most ``spareLanes`` more.
    package private(set) var lanes = 1
    /// The folded runs of siblings, and the runs that the user unfolded.
    private(set) var folds = RailFolds()
    /// The task that keeps its place while rows appear above it, and its line on the screen.
    private var anchor: (task: TaskID, line: Int)?
    /// The rows of the lines, for movements between two frames.
    private var spans: [LineSpan] = []
    /// The task to show as soon as it has a row.
    private var sought: TaskID?

    private var queue: [RailChange] = []
    /// The last task and the last block that are listed since the rails began anew. Nil once all are.
    private var listed: (task: TaskID, block: TaskID)?
    /// The number of tasks that are still to be listed. It does not count blocks, most of which have no row.
    private var unlistedCount = 0
    /// The join whose inputs are being read, and those that are left.
    private var reading: (join: TaskID, inputs: LinkedTasks, store: TraceStore)?
    private var evictedCount = 0
    /// The state up to which changes are queued.
    private var known: (epoch: Int, eventCount: Int) = (0, 0)

    /// Whether another frame would show the same.
    private(set) var isSettled = true

    /// The number of tasks that wait for a row.
    var waitingCount: Int { queue.count + unlistedCount }
    private var isReading: Bool { reading != nil || !rails.unreadJoins.isEmpty }

    func isUpToDate(_ history: TraceHistory) -> Bool {
        waitingCount == 0 && listed == nil && !isReading && known == (history.epoch, history.store.eventCount)
    }

    mutating func layOut(in area: Rect) {
        self.area = area
    }

    /// Queues the tasks of the events between the last call and the cursor, forwards or backwards. While the queue is long, further events
    /// wait, so that a program that makes tasks faster than they are placed does not lengthen it for ever. If the events are too many or
    /// dropped, the rails begin anew, and ``place(_:)`` lists all tasks.
    mutating func catchUp(with history: TraceHistory) {
        let (store, from) = (history.store, known)
        let isForward = from.epoch == history.epoch && store.eventCount - from.eventCount <= Self.followLimit
        if isForward, queue.count >= Self.longQueue { return }
        let end = isForward ? min(store.eventCount, from.eventCount + Self.eventsPerFrame) : store.eventCount
        known = (history.epoch, end)
        guard from != known else { return }
        let limit = isForward ? Self.eventsPerFrame : Self.travelLimit
        guard let passed = history.passed(between: from.eventCount, and: end, limit: limit) else {
            // The rows of dropped tasks would take many frames to find. A graph that is shown now and then would keep ever more of them.
            rails = Rails()
            reading = nil
            evictedCount = store.evictedCount
            if !isFollowing, sought == nil { sought = anchor?.task }
            known.eventCount = store.eventCount
            queue = []
            (listed, unlistedCount) = ((.none, .none), store.keptCount)
            return
        }
        if isForward {
            for stretch in passed { rails.noteChanges(after: stretch.events, in: store, into: &queue) }
            return
        }
        // Each task is queued once, because an update visits all links of its task.
        var seen: Set<TaskID> = [.none]
        func note(_ task: TaskID) {
            if seen.insert(task).inserted { queue.append(RailChange(task: task)) }
        }
        for event in passed.lazy.flatMap(\.events) where event.task != .none {
            note(event.task)
            if event.kind == .created || event.kind == .antecedent { note(event.otherTask) }
        }
    }

    /// Gives a portion of the queued tasks their rows, and removes the rows of dropped tasks.
    mutating func place(_ store: TraceStore) {
        listTasks(store)
        let count = min(queue.count, Self.updatesPerFrame)
        for index in 0..<count { rails.update(queue[index], in: store) }
        queue.removeFirst(count)
        if store.evictedCount != evictedCount {
            rails.sweep(rows: min(2 * (store.evictedCount - evictedCount) + 1024, 1 << 13), in: store)
            if rails.count <= store.keptCount + store.keptBlockCount + waitingCount { evictedCount = store.evictedCount }
        }
        readJoins(store)
        rails.numberRows()
        guard let task = sought else { return }
        if rails.row(of: task) != nil { show(task, store) }
        if waitingCount == 0, listed == nil, !isReading, known.eventCount == store.eventCount { sought = nil }
    }

    /// Queues further tasks after the rails have begun anew: as many as this frame updates besides those that wait already, at least one.
    private mutating func listTasks(_ store: TraceStore) {
        guard var last = listed else { return }
        var left = max(1, Self.updatesPerFrame - queue.count)
        var tasks = store.rows(after: last.task)
        while left > 0, let row = tasks.next() {
            last.task = store[row].id
            queue.append(RailChange(task: last.task))
            (left, unlistedCount) = (left - 1, max(0, unlistedCount - 1))
        }
        var blocks = store.blockRows(after: last.block)
        while left > 0, let row = blocks.next() {
            last.block = store[row].id
            if store.hasTask(last.block) { queue.append(RailChange(task: last.block)) }
            left -= 1
        }
        listed = left > 0 ? nil : last
        if listed == nil { unlistedCount = 0 }
    }

    /// Reads a portion of the inputs of joins. A join can have a million.
    private mutating func readJoins(_ store: TraceStore) {
        for _ in 0..<Self.updatesPerFrame {
            if let reading, reading.store !== store || !store.hasTask(reading.join) {
                // The list belonged to the store of another moment, or is gone.
                self.reading = nil
                if store.hasTask(reading.join) { rails.update(reading.join, in: store) }
            }
            if reading == nil {
                guard let join = rails.nextUnreadJoin() else { return }
                guard let task = store.task(join) else { continue }
                reading = (join, task.antecedents, store)
            }
            guard let join = reading?.join, let input = reading?.inputs.next() else {
                reading = nil
                continue
            }
            rails.read(input, of: join, in: store)
        }
    }

    /// Finds the window's lines and lanes.
    mutating func findRows(_ store: TraceStore, selection: TaskID?) {
        keep(selection, store)
        let isAllSeen = findLines(store)
        isSettled =
            rails.settle(throughRow: isFollowing ? .max : spans.last?.rows.upperBound ?? 0, runLimit: Self.runsPerFrame, in: store)
            && isAllSeen
        lines = rails.lines(spans, in: store)
        let needed = lines.reduce(1) { max($0, $1.row.width) }
        // Room that is almost used stays, so that the names do not move with every scrolled row.
        if needed > lanes || needed + Self.spareLanes < lanes { lanes = needed }
    }

    /// The visible rows that are not folded.
    package var rows: [RailsRow] {
        lines.compactMap { line in
            if case .task(let row) = line { row } else { nil }
        }
    }

    /// Finds the rows of the window's lines. False if another call would find more.
    @discardableResult
    private mutating func findLines(_ store: TraceStore) -> Bool {
        let height = area.rows
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

    mutating func followNewest() {
        isFollowing = true
    }

    mutating func pan(by columns: Int) {
        pan = max(0, min(pan + columns, Self.panLimit))
    }

    mutating func panBack() {
        pan = 0
    }

    /// Scrolls by lines and keeps the new top row.
    mutating func scroll(by lines: Int, _ store: TraceStore) {
        guard rails.count > 0 else { return }
        var walk = FoldWalk(folds, in: rails)
        isFollowing = false
        top = walk.line(from: top, by: lines, of: &rails, in: store).rows.lowerBound
        anchor = (rails.task(atRow: top), 0)
        findLines(store)
    }

    /// Scrolls as little as possible to show a task, and keeps the task in place. If the task has no row yet, waits for one.
    mutating func show(_ task: TaskID, _ store: TraceStore) {
        guard let row = rails.row(of: task) else {
            sought = task
            return
        }
        sought = nil
        keep(task, store)
        isFollowing = false
        let line = spans.firstIndex { $0.rows.contains(row) } ?? (row < top ? 0 : area.rows - 1)
        anchor = (task, min(line, area.rows - 1))
        findLines(store)
    }

    /// The task that a movement reaches. Without a selection, the movement begins at the newest task while following, otherwise at the top.
    mutating func task(_ movement: Movement, from selection: TaskID?, _ store: TraceStore) -> TaskID? {
        guard rails.count > 0 else { return nil }
        var walk = FoldWalk(folds, in: rails)
        let row: Int
        if let lines = movement.lines(page: area.rows) {
            let selected = selection.flatMap { rails.row(of: $0) }
            let start = selected ?? (isFollowing ? rails.count - 1 : top)
            row = walk.taskRow(from: start, by: selected == nil ? 0 : lines, of: &rails, in: store)
        } else if movement == .first || movement == .last {
            row = movement == .first ? 0 : rails.count - 1
        } else {
            return nil
        }
        return rails.task(atRow: row)
    }

    /// The rows at a line of the screen, as of the last frame or movement.
    func span(at point: Point) -> LineSpan? {
        let line = point.row - area.top
        return area.contains(point) && spans.indices.contains(line) ? spans[line] : nil
    }

    /// The row after the last visible line. After a movement, ``top`` and this row are ahead of ``lines`` until the next frame.
    var end: Int { spans.last?.rows.upperBound ?? top }

    // MARK: Folding

    /// Unfolds siblings, or folds them again.
    mutating func toggle(_ siblings: Rail) {
        if folds.unfolded.remove(siblings) == nil { folds.unfolded.insert(siblings) }
    }

    /// Shows all rows, or folds all runs that can be folded.
    mutating func toggleAll() {
        folds.areUnfolded.toggle()
        folds.unfolded = []
    }

    /// Folds or unfolds the siblings of the selected task. If it has none, uses the nearest folded siblings. False if there are none.
    mutating func toggleNearest(to selection: TaskID?, _ store: TraceStore) -> Bool {
        let siblings = selection.flatMap { rails.siblings(of: $0, in: store) }
        let folded = lines.compactMap { line in
            if case .folded(let fold, _) = line { fold } else { nil }
        }
        let row = selection.flatMap { rails.row(of: $0) } ?? top
        let nearest = folded.min { abs($0.rows.lowerBound - row) < abs($1.rows.lowerBound - row) }
        if let siblings, folds.unfolded.contains(siblings) || folded.contains(where: { $0.siblings == siblings }) {
            toggle(siblings)
        } else if let nearest {
            toggle(nearest.siblings)
        } else {
            return false
        }
        return true
    }

    private mutating func keep(_ task: TaskID?, _ store: TraceStore) {
        folds.kept = task.map { rails.path(of: $0, in: store) } ?? []
    }
}
