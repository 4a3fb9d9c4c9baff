import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// One block per executor, in Overview's order with main first: its current jobs, its queue, and its history.
struct ExecutorsScreen: Layer {
    static let name = ScreenName("Executors", short: "Exec", shortcut: "3")
    static let modes = [
        KeyMode(
            "Executors",
            KeyRow.list + [
                .enter("open", "open the task, or show the whole queue"), .dropsSelection,
                KeyRow(
                    .character("o"), shown: "o", help: "hold the selected executor's jobs, or release them", group: .control,
                    answer { $0.hold(&$1) }),
                longestJobKey { $0.executorAtCursor($1)?.id },
            ])
    ]
    static let facets = Facets<Self>(
        search: .init(
            rows: { SearchedRows(count: $0.blocks.count, cursor: $0.selection.flatMap($0.blocks.row), text: $0.blocks.texts($1)) },
            select: { screen, row, _ in
                screen.selection = screen.blocks.selectable(row, downwards: true)
                screen.pane.select(screen.selection.flatMap(screen.blocks.row))
            }),
        detail: .init(isShown: { $0.isJobSelected }, task: { $0.taskAtCursor($1) }), waiting: { $0.waiting($1) },
        arrive: { $0.arrive(at: $1, &$2) }, idleKeys: { $0.canOpen($1) ? [] : [.enter] })

    /// As of the last layout.
    private(set) var blocks = ExecutorBlocks()
    /// The selected line of a block. It stays with its executor.
    private(set) var selection: ExecutorLine?
    private(set) var pane = ListPane()
    /// Whether the selected line is that of a task. A wide terminal shows its detail beside the list, else that of the executor.
    private(set) var isJobSelected = false
    private var rule = Rect.empty
    private var panel = Rect.empty
    private var causes = WaitCauses()
    /// The number of followed tasks when the selection last took up a followed task.
    private var followCount = 0

    func isSettled(_ shared: SharedState) -> Bool { blocks.isSettled(shared.store) }

    /// The task of the selected job; for an executor, the task that runs there or that ran longest. Without a selection, the first such
    /// task in sight.
    private func taskAtCursor(_ shared: SharedState) -> TaskID? {
        guard let line = selection, let row = blocks.row(of: line), let (block, index) = blocks.block(at: row, shared.store) else {
            let visible = blocks.blocks(pane.rows, shared.store).map(\.executor)
            let running = visible.lazy.flatMap(\.running).map(\.task).first { $0 != .none }
            return shared.selection ?? running ?? visible.lazy.compactMap { $0.longestJob?.task }.first { $0 != .none }
        }
        return block.task(at: index) ?? block.executor.openJobs.first?.task ?? block.executor.longestJob?.task
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        blocks.fitCharts(in: body.rows, shared.store, isOver: shared.isOver)
        update(shared)
        let list: Rect
        (list, rule, panel) = areas(in: body)
        pane.layOut(in: list, count: blocks.count)
        pane.highlight(selection.flatMap(blocks.row))
    }

    /// The detail of the executor stands beside the list, or below it if the blocks leave room without a job.
    private func areas(in body: Rect) -> (list: Rect, rule: Rect, panel: Rect) {
        let isWide = body.columns >= FrameAreas.wideColumns
        if blocks.ids.isEmpty { return (body, .empty, .empty) }
        if isWide, !isJobSelected {
            let (list, rest) = body.split(left: FrameAreas.listColumns(of: body))
            let (rule, panel) = rest.split(left: 1)
            return (list, rule, panel)
        }
        let quiet = blocks.ids.count * ExecutorBlocks.quietCount
        let below = body.rows - max(quiet, body.rows / 2) - 1
        let isTall = body.rows >= Self.leastTallRows && below >= Self.leastRowsBelow
        guard isTall, !isWide, blocks.chartRows == 0 else { return (body, .empty, .empty) }
        let (panel, rest) = body.split(bottom: below)
        let (rule, list) = rest.split(bottom: 1)
        return (list, rule, panel)
    }

    private static let (leastTallRows, leastRowsBelow) = (26, 7)

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        guard let executor = executorAtCursor(shared) else { return }
        causes.find(for: executor, in: shared.store, epoch: shared.history.epoch)
    }

    /// The selected executor. Without a selection, the first one in sight.
    private func executorAtCursor(_ shared: SharedState) -> ExecutorView? {
        selection.flatMap { shared.store.executor($0.executor) } ?? blocks.blocks(pane.rows, shared.store).first?.executor
    }

    /// Reads the executors again. The counts of lines may have changed.
    private mutating func update(_ shared: SharedState) {
        blocks.update(shared.store, visible: pane.rows)
        pane.setCount(blocks.count)
        let line = selection.flatMap(blocks.row).flatMap { blocks.block(at: $0, shared.store) }
        isJobSelected = line.map { $0.block.isJob($0.line) } ?? false
    }

    /// Selects the executor of the task that was followed since the screen was last shown.
    mutating func show(_ shared: inout SharedState) {
        if followCount != shared.followCount {
            followCount = shared.followCount
            let executor = shared.selection.flatMap { shared.store.task($0) }?.executor ?? .none
            if executor != .none { selection = ExecutorLine(executor: executor, line: 0) }
        }
        update(shared)
        pane.select(selection.flatMap(blocks.row))
        // The executor's figures and jobs are shown together with its heading.
        guard let row = pane.selected, let block = blocks.block(at: row, shared.store)?.block else { return }
        pane.show(block.first + block.count - 1)
        pane.show(row)
    }

    private mutating func arrive(at target: SharedState.Target, _ shared: inout SharedState) -> Bool {
        guard case .executor(let executor) = target else { return false }
        selection = ExecutorLine(executor: executor, line: 0)
        followCount = shared.followCount
        return true
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        update(shared)
        let start = pane.selected ?? (movement == .down ? pane.top - 1 : pane.top)
        guard let target = pane.target(of: movement) else { return .ignored }
        guard let line = blocks.selectable(target, downwards: target >= start), let row = blocks.row(of: line) else { return .ignored }
        let before = (selection, pane.rows)
        selection = line
        pane.select(row)
        return .changed(if: (selection, pane.rows) != before)
    }

    /// Opens a job's task. On the other lines of a block, shows or hides the whole queue. Without a selection, selects the first line.
    mutating func open(_ shared: inout SharedState) -> Answer {
        update(shared)
        guard let line = selection, let row = blocks.row(of: line), let (block, index) = blocks.block(at: row, shared.store) else {
            selection = blocks.selectable(pane.rows.lowerBound, downwards: true)
            pane.select(selection.flatMap(blocks.row))
            return .changed(if: selection != nil)
        }
        if let task = block.task(at: index) {
            shared.selection = task
            return .detail(of: task)
        }
        guard block.queueLeftOut > 0 || blocks.unfolded.contains(line.executor) else { return .ignored }
        blocks.toggle(line.executor, shared.store)
        return .changed
    }

    private func canOpen(_ shared: SharedState) -> Bool {
        guard let line = selection, let row = blocks.row(of: line), let (block, index) = blocks.block(at: row, shared.store) else {
            return blocks.count > 0
        }
        return block.task(at: index) != nil || block.queueLeftOut > 0 || blocks.unfolded.contains(line.executor)
    }

    /// The job of the selected line. On the other lines of a block, the executor.
    private func waiting(_ shared: SharedState) -> WaitChain.Subject? {
        guard let selection, let row = blocks.row(of: selection) else { return nil }
        guard let (block, line) = blocks.block(at: row, shared.store) else { return nil }
        if case .running(let job) = block.line(line), job.task == .none { return .job(job, on: selection.executor) }
        return block.task(at: line).map { .task($0) } ?? .executor(selection.executor)
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        defer { selection = nil }
        pane.select(nil)
        return .changed(if: selection != nil)
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        guard let row = pane.row(at: point), let (block, line) = blocks.block(at: row, shared.store), line < block.selectable else {
            return .ignored
        }
        let clicked = ExecutorLine(executor: block.executor.id, line: line)
        if clicked == selection { return open(&shared) }
        selection = clicked
        pane.select(row)
        return .changed
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    private func hold(_ shared: inout SharedState) -> Answer {
        guard let id = selection?.executor else {
            shared.notice = "Select an executor first: this key needs one."
            return .ignored
        }
        let isHeld =
            shared.control.heldScopes.contains(.executor(id)) || shared.history.latest.executor(id).map { $0.heldCount > 0 } ?? false
        return .effects([.control(isHeld ? .open(.executor(id)) : .hold(.executor(id)))])
    }

    // MARK: Drawing

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard blocks.count > 0 else {
            let text =
                shared.program.hasEnded
                ? "The program ended without using an executor."
                : shared.withoutExecutors("No executor yet: one appears here when a task asks for it or a job runs on it.")
            return EmptyNote.draw(text, in: pane.area, on: &canvas)
        }
        let rows = pane.rows
        let visible = blocks.blocks(rows, shared.store)
        let scale = DepthChart.scale(of: visible.lazy.filter { $0.executor.hasDepths }.map(\.executor), in: shared.store)
        for block in visible {
            ExecutorPanel(block: block, shared: shared, scale: scale).draw(rows: rows, in: pane.area, on: &canvas)
        }
        if let selected = pane.selected, rows.contains(selected) {
            canvas.restyle(pane.area.row(selected - rows.lowerBound), .selected)
        }
        pane.drawScrollBar(on: &canvas)
        guard !panel.isEmpty, let executor = executorAtCursor(shared) else { return }
        if rule.rows > 1 {
            canvas.verticalLine(at: rule.origin, rows: rule.rows)
        } else {
            canvas.horizontalLine(at: rule.origin, columns: rule.columns)
        }
        canvas.clipped(to: panel) { canvas in
            let isInList = visible.contains { $0.executor.id == executor.id && $0.chartRows > 0 }
            ExecutorDetail(executor: executor, cause: causes[executor.id], shared: shared, scale: isInList ? nil : scale)
                .draw(in: panel, on: &canvas)
        }
    }
}
