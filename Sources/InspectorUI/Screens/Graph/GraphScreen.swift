import TaskEvents
import TerminalCanvas
import TraceLayout
import TraceStore

/// The graph of all tasks as rails, or the selected chain as boxes.
struct GraphScreen: Screen {
    static let name = ScreenName("Graph", digit: "2")
    static let modes = [rails, boxes]

    private(set) var rails = RailsWindow()
    private(set) var boxes = BoxesWindow()
    /// The room that the texts of the rows needed so far.
    private(set) var needs = GraphNeeds()
    /// Whether the screen shows the selected chain as boxes, instead of all tasks as rails.
    private(set) var showsBoxes = false
    /// The last line, which describes the visible part of the graph.
    private(set) var status = Rect(column: 0, row: 0, columns: 0, rows: 0)

    var mode: KeyMode { showsBoxes ? Self.boxes : Self.rails }

    var hasDetailBeside: Bool { !showsBoxes }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (status, picture) = body.split(bottom: 1)
        self.status = status
        if rails.area.columns != picture.columns { needs = GraphNeeds() }
        rails.layOut(in: picture)
        boxes.layOut(in: picture)
    }

    mutating func arrange(_ shared: inout SharedState, at time: UInt64) {
        if showsBoxes {
            boxes.arrange(shared.store, selection: shared.selection, at: time)
        } else {
            rails.catchUp(with: shared.history)
            rails.place(shared.store)
            rails.findRows(shared.store, selection: shared.selection)
            needs.widen(for: rails.rows, shared)
        }
    }

    func isSettled(_ shared: SharedState) -> Bool { showsBoxes || rails.isSettled && rails.isUpToDate(shared.history) }

    mutating func show(_ shared: inout SharedState) {
        if showsBoxes {
            if let selection = shared.selection { boxes.show(selection) }
        } else {
            rails.catchUp(with: shared.history)
            rails.place(shared.store)
            if let selection = shared.selection { rails.show(selection, shared.store) }
        }
    }

    mutating func restart(_ shared: SharedState) {
        boxes.restart()
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) {
        guard !showsBoxes else { return moveInBoxes(movement, &shared) }
        switch movement {
        case .left: rails.pan(by: -8)
        case .right: rails.pan(by: 8)
        case .up, .down, .pageUp, .pageDown, .first, .last:
            if let task = rails.task(movement, from: shared.selection, shared.store) { select(task, &shared) }
            if movement == .last { rails.followNewest() }
        }
    }

    private mutating func moveInBoxes(_ movement: Movement, _ shared: inout SharedState) {
        if movement == .pageUp || movement == .pageDown { return boxes.page(movement == .pageUp ? -1 : 1) }
        if let task = boxes.task(movement, from: shared.selection) { followBox(task, &shared) }
    }

    /// The selected task. Without a selection, the lowest one in sight, so that the detail beside the rails is not empty.
    func taskAtCursor(_ shared: SharedState) -> TaskID? { shared.selection ?? (showsBoxes ? nil : rails.rows.last?.task) }

    mutating func open(_ shared: inout SharedState) {
        guard let task = taskAtCursor(shared) ?? rails.rows.first?.task else { return }
        shared.selection = task
        shared.open(task)
    }

    mutating func leave(_ shared: inout SharedState) -> Bool {
        shared.selection = nil
        rails.panBack()
        return true
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> [Effect] {
        if showsBoxes {
            guard let task = boxes.task(at: point) else { return [] }
            if task == shared.selection { shared.open(task) }
            followBox(task, &shared)
        } else if let span = rails.span(at: point) {
            if let fold = span.fold {
                rails.toggle(fold.siblings)
            } else if span.rows.lowerBound < rails.rails.count {
                let task = rails.rails.task(atRow: span.rows.lowerBound)
                if task == shared.selection { shared.open(task) }
                select(task, &shared)
            }
        }
        return []
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) {
        if showsBoxes { boxes.pan(columns: 0, rows: rows) } else { rails.scroll(by: rows, shared.store) }
    }

    private mutating func select(_ task: TaskID, _ shared: inout SharedState) {
        shared.selection = task
        rails.show(task, shared.store)
    }

    private mutating func followBox(_ task: TaskID, _ shared: inout SharedState) {
        shared.follow(task)
        boxes.show(task)
    }

    mutating func changeFace(_ shared: inout SharedState) {
        showsBoxes.toggle()
        show(&shared)
    }

    mutating func follow() {
        rails.followNewest()
        rails.panBack()
    }

    mutating func fold(_ shared: inout SharedState) {
        guard !showsBoxes else {
            if !boxes.toggle(shared.selection) {
                shared.notice = "No box is folded here: only five or more equal calls that all succeeded are."
            }
            return
        }
        guard !rails.toggleNearest(to: shared.selection, shared.store) else { return }
        let hasUnfolded = rails.folds.areUnfolded || !rails.folds.unfolded.isEmpty
        shared.notice =
            hasUnfolded
            ? "Select one of the siblings that are to be folded, or press Z for all."
            : "Nothing is folded here: only long runs of siblings that all succeeded are."
    }

    mutating func foldAll(_ shared: inout SharedState) {
        guard !showsBoxes else {
            boxes.toggleAll()
            if boxes.areUnfolded { shared.notice = "Each task has a box of its own; Z folds equal calls again." }
            return
        }
        rails.toggleAll()
        if rails.folds.areUnfolded { shared.notice = "All rows are shown; Z folds siblings that succeeded again." }
    }

    mutating func zoom(by step: Int) {
        boxes.zoom(by: step)
    }

    /// Moves the view of the boxes by quarters of the window.
    mutating func pan(columns: Int, rows: Int) {
        boxes.pan(quarters: columns, rows)
    }
}
