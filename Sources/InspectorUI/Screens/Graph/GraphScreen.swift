import TaskEvents
import TerminalCanvas
import TraceLayout
import TraceStore

/// The graph of all tasks as rails, or the selected chain as boxes.
struct GraphScreen: Layer {
    static let name = ScreenName("Graph", shortcut: "2")
    static let modes = [rails, boxes]
    static let facets = Facets<Self>(detail: .init(isShown: { !$0.showsBoxes }, task: { $0.taskAtCursor($1) }))

    private(set) var rails = RailsWindow()
    private(set) var boxes = BoxesWindow()
    /// The room that the texts of the rows needed so far.
    private(set) var needs = GraphNeeds()
    /// Whether the screen shows the selected chain as boxes, instead of all tasks as rails.
    private(set) var showsBoxes = false
    /// The last line, which describes the visible part of the graph.
    private(set) var status = Rect.empty

    var mode: KeyMode { showsBoxes ? Self.boxes : Self.rails }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (status, picture) = body.split(bottom: 1)
        self.status = status
        if rails.area.columns != picture.columns { needs = GraphNeeds() }
        rails.layOut(in: picture)
        boxes.layOut(in: picture)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        if showsBoxes {
            boxes.refresh(shared.store, selection: shared.selection, at: time)
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

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        guard !showsBoxes else { return moveInBoxes(movement, &shared) }
        guard rails.rails.count > 0 else { return .ignored }
        let before = (shared.selection, rails.top, rails.pan, rails.isFollowing)
        switch movement {
        case .left: rails.pan(by: -8)
        case .right: rails.pan(by: 8)
        case .up, .down, .pageUp, .pageDown, .first, .last:
            if let task = rails.task(movement, from: shared.selection, shared.store) { select(task, &shared) }
            if movement == .last { rails.followNewest() }
        }
        return .changed(if: before != (shared.selection, rails.top, rails.pan, rails.isFollowing))
    }

    private mutating func moveInBoxes(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        let before = (shared.selection, boxes.origin)
        if movement == .pageUp || movement == .pageDown {
            boxes.page(movement == .pageUp ? -1 : 1)
        } else if let task = boxes.task(movement, from: shared.selection) {
            followBox(task, &shared)
        }
        return .changed(if: before != (shared.selection, boxes.origin))
    }

    /// The selected task. Without a selection, the lowest one in sight, so that the detail beside the rails is not empty.
    private func taskAtCursor(_ shared: SharedState) -> TaskID? { shared.selection ?? (showsBoxes ? nil : rails.rows.last?.task) }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let task = taskAtCursor(shared) ?? rails.rows.first?.task else { return .ignored }
        shared.selection = task
        return .detail(of: task)
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        let hasStep = shared.selection != nil || !showsBoxes && rails.pan > 0
        shared.selection = nil
        rails.panBack()
        return .changed(if: hasStep)
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        let selected = shared.selection
        let task: TaskID
        if showsBoxes {
            guard let box = boxes.task(at: point) else { return .ignored }
            task = box
            followBox(task, &shared)
        } else {
            guard let span = rails.span(at: point) else { return .ignored }
            if let fold = span.fold {
                rails.toggle(fold.siblings)
                return .changed
            }
            guard span.rows.lowerBound < rails.rails.count else { return .ignored }
            task = rails.rails.task(atRow: span.rows.lowerBound)
            select(task, &shared)
        }
        return task == selected ? .detail(of: task) : .changed
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
            shared.notice =
                boxes.areUnfolded
                ? "Each task has a box of its own. Z folds equal calls again." : "Equal calls that all succeeded share a box."
            return
        }
        rails.toggleAll()
        shared.notice =
            rails.folds.areUnfolded
            ? "All rows are shown. Z folds siblings that succeeded again." : "Long runs of siblings that all succeeded are folded."
    }

    mutating func zoom(by step: Int) {
        boxes.zoom(by: step)
    }

    /// Moves the view of the boxes by quarters of the window.
    mutating func pan(columns: Int, rows: Int) {
        boxes.pan(quarters: columns, rows)
    }
}
