import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Explains the wait of a task, a job or an executor: the chain of its causes, one link per row. It is an overlay.
struct WaitScreen: Layer {
    static let name = ScreenName("Why it waits")
    static let modes = [
        KeyMode(
            "Why it waits",
            KeyRow.list + [
                .enter("go there", "to the link's task or executor (or click it again)"), .escape("back", "back to where you were"),
            ])
    ]
    static let facets = Facets<Self>(
        keysEverywhere: [
            KeyRow(
                .character("w"), shown: "w", footer: "why waits",
                help: "why the selected task, job or executor waits; where the time of an ended task went", .overlay(name))
        ],
        opening: { layer, _, _, shared in explain(layer.waiting(shared) ?? shared.cursor.map { .task($0) }, &shared) },
        search: .init(
            rows: { wait, _ in
                SearchedRows(count: wait.rows.count, cursor: wait.pane.selected) { [rows = wait.rows] in
                    "\(rows[$0].name) \(rows[$0].site) \(rows[$0].text)"
                }
            }, select: { wait, row, _ in wait.pane.select(row) }),
        waiting: { wait, _ in wait.subjectOfSelection }, site: { wait, _ in wait.selectedRow?.source })

    /// Nanoseconds between two reads of the trace. The displayed durations are updated at the same interval.
    private static let pause: UInt64 = 250_000_000

    /// A row of the panel, as of the last read.
    struct Row {
        /// Nil for a fold, and for the sentence below a ring.
        var subject: WaitChain.Subject?
        var name = ""
        var state: DisplayedState?
        var site = ""
        var text = ""
        /// The site where the link waits, or else where it was made.
        var source: String?
        /// The line there.
        var code: [Span] = []
        /// The asynchronous calls of the wait, and the other tasks with the same ones.
        var calls = EntryID.none
        var others: [TaskID] = []
        /// Whether the link belongs to a deadlock.
        var isInRing = false
    }

    let subject: WaitChain.Subject
    /// Whether the inspector chose the subject, because the user had selected nothing.
    let isChosen: Bool
    private(set) var rows: [Row] = []
    private(set) var pane = ListPane()
    private var title = Rect.empty
    /// The part below the title: the list of links, and the panel of the selected one.
    private var room = Rect.empty
    private var list = Rect.empty
    private var panel = Rect.empty
    private var looked: (version: UInt64, time: UInt64)?

    init(of subject: WaitChain.Subject, isChosen: Bool) {
        self.subject = subject
        self.isChosen = isChosen
    }

    /// Explains the wait of the selected task, job or executor. Without a selection, the worst wait.
    private static func explain(_ selected: WaitChain.Subject?, _ shared: inout SharedState) -> Answer {
        guard let subject = selected ?? WaitChain.worst(in: shared.store) else {
            shared.notice = "No task waits here. Select one, or an executor, to see what holds it."
            return .ignored
        }
        // An asynchronous main ends by ending its program.
        if case .task(let id) = subject, let task = shared.store.task(id), task.state.hasEnded || shared.store.isFinishedMain(id) {
            return .push(PathScreen(of: task, in: shared.history))
        }
        let chain = WaitChain(of: subject, in: shared.store)
        guard !chain.isTrivial else {
            shared.notice = WaitWords(shared.store, isASCII: shared.isASCII).summary(of: chain) + "."
            return .ignored
        }
        return .push(WaitScreen(of: subject, isChosen: selected == nil))
    }

    /// The number of columns to the left of the text: the ring, and the line from link to link.
    private static let margin = 6
    private static let leastNameColumns = 24

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        (title, room) = body.split(top: 2)
        layOutRows()
    }

    /// All rows have the height that the longest text needs, at most four lines, and one for the source. The source around the selected
    /// link stands beside the list on a wide terminal, else below it if there is room.
    private mutating func layOutRows() {
        let isWide = room.columns >= FrameAreas.wideColumns
        (list, panel) = isWide ? room.split(left: room.columns / 2) : (room, Rect.empty)
        let columns = list.columns - Self.margin - 2
        let lines = rows.reduce(1) { max($0, WrappedText.lines($1.text, columns: columns).count) }
        let hasCode = !isWide && rows.contains { !$0.code.isEmpty }
        let height = 1 + min(3, lines) + (hasCode ? 1 : 0)
        if !isWide, list.rows - rows.count * height >= Self.leastPanelRows { (list, panel) = list.split(top: rows.count * height) }
        pane.layOut(in: list, count: rows.count, rowHeight: height)
    }

    private static let leastPanelRows = 7

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        let store = shared.store
        if let looked, looked.version == store.version || time < looked.time + Self.pause { return }
        looked = (store.version, time)
        let old = pane.selected.flatMap { rows.indices.contains($0) ? rows[$0].subject : nil }
        let chain = WaitChain(of: subject, in: store)
        rows = rows(of: chain, shared)
        if case .unresumed(isLost: false) = chain.end, case .task(let task)? = chain.links.last?.subject { shared.holderOf = task }
        findOthers(store)
        layOutRows()
        pane.select(old.flatMap { old in rows.firstIndex { $0.subject == old } } ?? 0)
    }

    /// The number of tasks among which others with the same wait are looked for.
    private static let mostTasks = 50_000

    /// Finds the other tasks that wait where the links' tasks do.
    private mutating func findOthers(_ store: TraceStore) {
        for index in rows.indices {
            guard case .task(let id) = rows[index].subject, let task = store.task(id) else { continue }
            rows[index].calls = WaitsFor(task, in: store)?.calls ?? .none
        }
        let wanted = Set(rows.map(\.calls)).subtracting([.none])
        guard !wanted.isEmpty else { return }
        var waiting: [EntryID: [TaskID]] = [:]
        for row in store.rows.prefix(Self.mostTasks) where store[row].state == .suspended {
            guard let calls = WaitsFor(store[row], in: store)?.calls, wanted.contains(calls) else { continue }
            waiting[calls, default: []].append(store[row].id)
        }
        for index in rows.indices {
            rows[index].others = waiting[rows[index].calls, default: []].filter { rows[index].subject != .task($0) }
        }
    }

    private func rows(of chain: WaitChain, _ shared: SharedState) -> [Row] {
        let store = shared.store
        let words = TaskWords(store)
        let waits = WaitWords(store, isASCII: shared.isASCII)
        var rows = chain.rows(in: store).map { row -> Row in
            switch row {
            case .more(let count): return Row(text: "\(CountText.text(count)) more, each of which continues the next")
            case .link(let index):
                let subject = chain.links[index].subject
                let source = chain.links[index].wait?.site(in: store) ?? words.site(of: subject)
                return Row(
                    subject: subject, name: words.name(of: subject), state: state(of: subject, store), site: words.site(of: subject) ?? "",
                    text: shared.sentence(waits.text(ofLink: index, of: chain)), source: source,
                    code: shared.excerpt(at: source).map { $0.line(shared.glyphs) } ?? [], isInRing: chain.isInRing(index))
            }
        }
        if let closing = waits.closing(of: chain) { rows.append(Row(text: shared.sentence(closing), isInRing: true)) }
        return rows
    }

    private func state(of subject: WaitChain.Subject, _ store: TraceStore) -> DisplayedState? {
        switch subject {
        case .task(let task): store.task(task).map { DisplayedState($0) }
        case .job: .running
        case .executor: nil
        }
    }

    func isSettled(_ shared: SharedState) -> Bool { looked?.version == shared.store.version }

    mutating func restart(_ shared: SharedState) {
        looked = nil
    }

    // MARK: Keys and mouse

    private var selectedRow: Row? { pane.selected.flatMap { rows.indices.contains($0) ? rows[$0] : nil } }

    private var subjectOfSelection: WaitChain.Subject { selectedRow?.subject ?? subject }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer { .changed(if: pane.move(movement)) }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let row = pane.selected, rows.indices.contains(row), let subject = rows[row].subject else {
            shared.notice = "This line is no task and no executor: pick a link above it."
            return .ignored
        }
        switch subject {
        case .task(let task) where shared.store.row(of: task) == nil:
            shared.notice = "\(task.firstWords) is not kept any more."
            return .ignored
        case .task(let task):
            shared.selection = task
            return .detail(of: task)
        case .job(_, let executor), .executor(let executor):
            shared.requests.target = .executor(executor)
            return .changed
        }
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        guard let row = pane.row(at: point) else { return .ignored }
        if row == pane.selected { return open(&shared) }
        pane.select(row)
        return .changed
    }

    // MARK: Drawing

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        let words = TaskWords(shared.store)
        let name = Span(shared.sentence(words.name(of: subject)), .title, .bold)
        var spans: [Span]
        if case .executor = subject {
            spans = [Span(" What holds ", .title), name]
        } else {
            spans = [Span(" Why ", .title), name, Span(" waits", .title)]
        }
        if case .task(let task) = subject { spans.append(Span("  \(task.words)", .dim)) }
        if isChosen { spans.append(Span("  the worst wait now", .dim)) }
        canvas.write(spans, at: title.origin, end: title.right - 1)
        pane.draw(on: &canvas) { row, rowArea, canvas in draw(rows[row], at: row, shared, in: rowArea, on: &canvas) }
        guard !panel.isEmpty, let row = selectedRow, row.subject != nil else { return }
        let isBeside = panel.left > room.left
        if isBeside {
            canvas.verticalLine(at: panel.origin, rows: panel.rows)
        } else {
            canvas.horizontalLine(at: panel.origin, columns: panel.columns)
        }
        let rect = isBeside ? panel.split(left: 2).rest : panel.split(top: 1).rest.split(left: 1).rest
        let contents = WaitPanel(source: row.source, calls: row.calls, others: row.others, shared: shared)
        canvas.clipped(to: rect) { contents.draw(in: rect, on: &$0) }
    }

    private func draw(_ row: Row, at index: Int, _ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        let text = rect.split(left: Self.margin).rest
        let isLast = index + 1 == rows.count
        if row.isInRing { drawRing(at: index, in: rect, on: &canvas) }
        var lines = WrappedText.lines(row.text, columns: text.columns - 1)
        if let subject = row.subject {
            let node = rect.origin.moved(columns: 4)
            if let state = row.state {
                canvas.put(state.canvasGlyph, at: node, style: Style(state.role))
            } else {
                canvas.put(.node, at: node)
            }
            for line in 1..<max(2, rect.rows) where !isLast {
                canvas.put(.vertical, at: node.moved(rows: line), style: Style(row.isInRing ? .fault : .dim))
            }
            var facts: [Span] = []
            if let state = row.state { facts.append(Span("  \(shared.word(of: state))", state.role)) }
            if case .task(let task) = subject { facts.append(Span("  \(task.words)", .dim)) }
            if !row.site.isEmpty { facts.append(Span("  \(row.site)", .dim)) }
            let left = text.columns - 1 - facts.reduce(0) { $0 + $1.width }
            let name = shared.sentence(row.name).fittingName(max(Self.leastNameColumns, left), shared.glyphs)
            canvas.write([Span(name, .text, .bold)] + facts, at: text.origin, end: text.right - 1)
        } else {
            canvas.write(lines.removeFirst(), at: text.origin, style: Style(row.isInRing ? .fault : .dim), limit: text.columns - 1)
            if !row.isInRing, !isLast { canvas.put(.fold, at: rect.origin.moved(columns: 4), style: Style(.dim)) }
        }
        if !row.code.isEmpty, room.columns < FrameAreas.wideColumns, rect.rows > lines.count + 1 {
            canvas.write(row.code, at: text.origin.moved(rows: lines.count + 1), end: text.right - 1)
        }
        for (line, words) in lines.prefix(rect.rows - 1).enumerated() {
            canvas.write(
                words, at: text.origin.moved(rows: line + 1), style: Style(row.subject == nil ? .fault : .dim), limit: text.columns - 1)
        }
    }

    /// Draws the ring's line from its last link back to its first.
    private func drawRing(at index: Int, in rect: Rect, on canvas: inout Canvas) {
        let isFirst = index == 0 || !rows[index - 1].isInRing
        let isClosing = index + 1 == rows.count
        let start = rect.origin.moved(columns: 1)
        let style = Style(.fault)
        if isClosing {
            canvas.put(.bottomLeft, at: start, style: style)
            for column in 1...2 { canvas.put(.horizontal, at: start.moved(columns: column), style: style) }
            canvas.put(.bottomRight, at: start.moved(columns: 3), style: style)
            return
        }
        canvas.put(isFirst ? .topLeft : .vertical, at: start, style: style)
        if isFirst {
            canvas.put(.horizontal, at: start.moved(columns: 1), style: style)
            canvas.put(.arrow, at: start.moved(columns: 2), style: style)
        }
        for line in 1..<max(2, rect.rows) { canvas.put(.vertical, at: start.moved(rows: line), style: style) }
    }
}
