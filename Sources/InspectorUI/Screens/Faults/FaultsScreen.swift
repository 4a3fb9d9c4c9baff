import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// All errors, the unread ones first, and the path of the selected error, step by step. The keys that walk along a path work on every
/// screen.
struct FaultsScreen: Layer {
    static let name = ScreenName("Faults", short: "Fault", shortcut: "5")
    static let modes = [
        KeyMode(
            "Faults",
            KeyRow.list + [.opensTask] + walk(footer: "walk the error", help: "walk the error's path, and back") + [
                KeyRow(
                    .character("s"), shown: "s", footer: "sort", help: "by verdict, unread errors first, or the newest first",
                    command { $0.sort(byVerdict: !$0.order.isByVerdict, &$1) }),
                KeyRow(
                    .character("o"), shown: "o", footer: "one by one", help: "equal errors in one row, or each in its own",
                    command { $0.fold(!$0.order.isFolded, &$1) }),
                KeyRow(
                    .character("c"), shown: "c", footer: "cancellations", help: "the cancellations and their paths, in place of the errors",
                    answer { .push(CancellationsScreen($1)) }),
                .escape("", "back to the path's beginning, then to the first error"),
            ])
    ]
    static let facets = Facets<Self>(
        keysEverywhere: walk(help: "walk the path of the error that passed here, and back"),
        search: .init(rows: { $0.searched($1) }, select: { $0.select($1, &$2) }), arrive: { $0.arrive(at: $1, &$2) },
        site: { $0.site($1) }, hide: { $0.isShown = false }, depth: { faults, _ in faults.step == nil ? 0 : 1 },
        idleKeys: { _, shared in
            shared.faults.count > 0 ? [] : KeyRow.keysOfRows + ["n", "s", "o"].map { Key.character($0) }
        })

    private static func walk(footer: String = "", help: String) -> [KeyRow] {
        [
            KeyRow(.character("n"), shown: "n p", footer: footer, help: help, answer { $0.walk(by: 1, &$1) }),
            KeyRow(.character("p"), shown: "n p", answer { $0.walk(by: -1, &$1) }),
        ]
    }

    /// The largest number of steps in the shown path.
    static let stepLimit = 16_384
    /// Nanoseconds between two updates.
    static let pause: UInt64 = 250_000_000

    /// The errors in the order of the list, and their verdicts.
    private(set) var order = FaultOrder()
    /// The origin of the selected error. Nil follows the first error.
    private(set) var selection: TaskID?
    /// The index of the current step. Nil before the first step.
    private(set) var step: Int?
    private(set) var path: FaultPath?
    private(set) var frame = ListAndPanel(.empty, listRows: 0)
    private var body = Rect.empty
    private(set) var pathAreas = PathAreas(.empty)
    /// The list of errors.
    private(set) var pane = ListPane()
    /// The list of the path's steps.
    private(set) var steps = ListPane()
    /// Whether the selected error must be brought into sight as soon as the list has it.
    private var isSought = false
    private var pathFoundAt: (eventCount: Int, time: UInt64)?
    /// Whether the screen is shown.
    private var isShown = false

    /// The error whose path is shown.
    func origin(_ shared: SharedState) -> TaskID? { selection ?? order.first ?? (shared.faults.count > 0 ? shared.faults[0] : nil) }

    /// The site of the current step's throw, or of the error's first.
    private func site(_ shared: SharedState) -> String? {
        let thrown = step.flatMap { path?.steps[$0].site(in: shared.store) } ?? ""
        return thrown.isEmpty ? path.flatMap { shared.store.entries.error($0.error)?.site } : thrown
    }

    /// The task of the current step.
    private var stepTask: TaskID? { step.flatMap { path?.steps[$0].task } }

    func verdict(of origin: TaskID) -> (verdict: Verdict, isPartial: Bool)? {
        order.verdict(of: origin)
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        self.body = body
        // An error's text is often longer than the names of the tasks that it passed.
        frame = ListAndPanel(body, listRows: min(order.count + 2, body.rows * 9 / 20), panelColumns: 90)
        pane.layOut(in: frame.list, count: order.count)
        layOutSteps(shared)
    }

    /// Updates the path and the visible verdicts.
    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        isShown = true
        let rows = order.count
        order.advance(shared.faults, shared.history, at: time)
        if order.count != rows { layOut(in: body, shared) }
        keepSelection()
        findPath(shared, at: time)
        layOutSteps(shared)
        steps.highlight(step)
    }

    private mutating func layOutSteps(_ shared: SharedState) {
        let panel = path.map { FaultPathPanel(path: $0, steps: steps, step: step, shared: shared) }
        pathAreas = panel?.areas(in: frame.panel) ?? PathAreas(frame.panel)
        let lines = panel?.sentenceLines(columns: pathAreas.steps.columns) ?? []
        steps.layOut(in: pathAreas.steps, count: path?.steps.count ?? 0, rowHeight: pathAreas.stepHeight(sentences: lines))
    }

    /// The selected error keeps its line on the screen while new errors appear above it.
    private mutating func keepSelection() {
        let row = selection.flatMap(order.row)
        pane.keep(row, count: order.count)
        if selection == nil { pane.highlight(order.count > 0 ? 0 : nil) }
        if isSought, let row {
            pane.show(row)
            isSought = false
        }
    }

    /// Brings the list up to date between two frames.
    private mutating func bringListUpToDate(_ shared: inout SharedState) {
        shared.faults.bringUpToDate(shared.history)
        keepSelection()
    }

    func isSettled(_ shared: SharedState) -> Bool { order.isSettled(shared.history) }

    mutating func restart(_ shared: SharedState) {
        order.restart()
        pathFoundAt = nil
    }

    /// Shows the error that passed through the selected task, if there is one.
    mutating func show(_ shared: inout SharedState) {
        isShown = true
        guard stepTask != shared.selection, shared.selection != selection else { return }
        bringListUpToDate(&shared)
        takeUpSelection(shared)
    }

    private mutating func arrive(at target: SharedState.Target, _ shared: inout SharedState) -> Bool {
        guard case .error(let task) = target else { return false }
        bringListUpToDate(&shared)
        shared.selection = task
        takeUpSelection(shared)
        return true
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        pane.highlight(selection.flatMap(order.row) ?? pane.selected)
        guard let row = pane.target(of: movement) else { return .ignored }
        let before = (pane.selected, pane.rows)
        select(row, &shared)
        return .changed(if: (pane.selected, pane.rows) != before)
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let task = stepTask ?? origin(shared) else { return .ignored }
        shared.follow(task)
        return .detail(of: task)
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        guard step == nil else {
            step = nil
            return .changed
        }
        let before = (origin(shared), pane.rows)
        selection = nil
        pane.setTop(0)
        return .changed(if: (origin(shared), pane.rows) != before)
    }

    private func searched(_ shared: SharedState) -> SearchedRows {
        SearchedRows(count: order.count, cursor: selection.flatMap(order.row) ?? 0) { [order] row in
            guard let task = shared.store.task(order[row]) else { return "" }
            let words = TaskWords(shared.store)
            return "\(order.verdict(of: order[row])?.verdict.name ?? "") \(words.error(of: task) ?? "") \(words.name(of: task))"
        }
    }

    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState) {
        if steps.area.contains(point) { steps.scroll(by: rows) } else { pane.scroll(by: rows) }
    }

    private mutating func fold(_ isFolded: Bool, _ shared: inout SharedState) {
        order.fold(isFolded)
        isSought = selection != nil
        shared.notice = isFolded ? "Equal errors share a row." : "Each error has a row."
    }

    private mutating func sort(byVerdict isByVerdict: Bool, _ shared: inout SharedState) {
        order.sort(byVerdict: isByVerdict)
        isSought = selection != nil
        shared.notice = isByVerdict ? "Sorted by verdict, unread errors first." : "Sorted by time, the newest first."
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        if frame.heading.contains(point) {
            sort(byVerdict: !order.isByVerdict, &shared)
        } else if let row = pane.row(at: point) {
            if order[row] == selection { return open(&shared) }
            select(row, &shared)
        } else if let row = steps.row(at: point) {
            if row == step { return open(&shared) }
            go(toStep: row, &shared)
        }
        return .changed
    }

    private mutating func select(_ row: Int, _ shared: inout SharedState) {
        let origin = order[row]
        if origin != selection {
            step = nil
            steps.setTop(0)
        }
        selection = origin
        pane.select(row)
        shared.follow(origin)
    }

    // MARK: The walk

    /// Moves to the next or the previous step of the path.
    private mutating func walk(by direction: Int, _ shared: inout SharedState) -> Answer {
        let before = (shared.selection, isShown ? step : nil)
        takeUpFault(&shared)
        guard let path else {
            shared.notice = "No error has happened: there is no path to walk."
            return .ignored
        }
        let next = step.map { $0 + direction } ?? 0
        if path.steps.indices.contains(next) {
            go(toStep: next, &shared)
            // Not every screen shows the selected task.
            if !isShown { shared.notice = notice(of: next, in: path, shared) }
        } else {
            shared.notice = "This is the \(direction > 0 ? "last" : "first") of the path's \(CountText.text(path.steps.count, "step"))."
        }
        return .changed(if: (shared.selection, isShown ? step : nil) != before)
    }

    private func notice(of step: Int, in path: FaultPath, _ shared: SharedState) -> String {
        "Step \(step + 1) of \(path.steps.count) of the error's path: `\(shared.name(of: path.steps[step].task))`."
    }

    /// On another screen, the walk begins at the selected task if an error passed through it.
    private mutating func takeUpFault(_ shared: inout SharedState) {
        if isShown, path != nil { return }
        bringListUpToDate(&shared)
        if step == nil || stepTask != shared.selection { takeUpSelection(shared) }
        findPath(shared, at: 0)
        if selection == nil { selection = origin(shared) }
    }

    private mutating func takeUpSelection(_ shared: SharedState) {
        let analysis = FaultAnalysis(shared.store)
        guard let task = shared.selection, let origin = analysis.origin(of: task), shared.store.task(origin)?.state == .faulted else {
            return
        }
        selection = origin
        step = nil
        findPath(shared, at: 0)
        step = task == origin ? nil : path?.steps.firstIndex { $0.task == task }
        if let row = order.row(of: origin) { pane.select(row) } else { isSought = true }
        steps.setCount(path?.steps.count ?? 0)
        if let step { steps.select(step) }
    }

    private mutating func go(toStep step: Int, _ shared: inout SharedState) {
        guard let path else { return }
        selection = path.origin
        self.step = step
        steps.setCount(path.steps.count)
        steps.select(step)
        shared.follow(path.steps[step].task)
    }

    /// Finds the path of the shown error, at once if the error has changed.
    private mutating func findPath(_ shared: SharedState, at now: UInt64) {
        let (store, origin) = (shared.store, origin(shared))
        if path?.origin == origin, let pathFoundAt {
            guard pathFoundAt.eventCount != store.eventCount, now >= pathFoundAt.time + Self.pause else { return }
        }
        path = origin.flatMap { FaultAnalysis(store).path(from: $0, limit: Self.stepLimit) }
        pathFoundAt = (store.eventCount, now)
        if let step, step >= path?.steps.count ?? 0 { self.step = nil }
    }
}
