import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

extension ProfileScreen {
    /// A call on the screen. Its width is its share of the samples.
    struct Box {
        let node: Int
        let area: Rect
    }

    /// The boxes, the root on top. Calls that are narrower than a cell are left out.
    var boxes: [Box] {
        guard let tree, tree.count > 0 else { return [] }
        var boxes: [Box] = []
        var open = [(node: root, left: 0.0)]
        let scale = Double(graph.columns) / Double(max(1, tree.nodes[root].count))
        let depth = tree.nodes[root].depth
        while let (node, left) = open.popLast() {
            let row = tree.nodes[node].depth - depth
            let right = left + Double(tree.nodes[node].count) * scale
            let columns = Int(left.rounded())..<Int(right.rounded())
            guard row < graph.rows, !columns.isEmpty else { continue }
            boxes.append(Box(node: node, area: graph.row(row).columns(columns)))
            var next = left
            for child in tree.nodes[node].children {
                open.append((child, next))
                next += Double(tree.nodes[child].count) * scale
            }
        }
        return boxes
    }

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard shared.history.recording?.hasProfile == true else { return drawSites(shared, on: &canvas) }
        let count = tree.map { "  \(CountText.text($0.count, "sample"))" } ?? "  reading the events: \(reading?.percent ?? 0) %"
        canvas.write(
            [
                Span(" Where the time on processors went: ", .title), Span(shared.sentence(subject(shared) ?? "all tasks"), .title, .bold),
                Span(count, .dim),
            ], at: title.origin, end: title.right - 1)
        drawParts(shared, on: &canvas)
        guard let tree else { return }
        guard tree.count > 0 else {
            let note = "No sample was taken there: it hardly needed a processor."
            canvas.write(note, at: graph.origin.moved(columns: 1), style: Style(.dim), limit: graph.columns - 2)
            return
        }
        let boxes = boxes
        for box in boxes { draw(box, tree, shared, on: &canvas) }
        let depth = boxes.reduce(0) { max($0, $1.area.bottom - graph.top) }
        let below = graph.rows(min(graph.rows, depth + 1)..<graph.rows)
        // On a terminal that is not wide, the table and the source share the room below the graph.
        let isNarrow = below.columns < Self.leastSharedColumns
        let (left, right) = below.split(left: isNarrow ? below.columns : below.columns * 2 / 5)
        let table = beside.columns > 0 ? beside.columns(2..<beside.columns) : left
        let hasTable = table.rows >= Self.leastTableRows
        if hasTable { drawFunctions(tree, shared, in: table, on: &canvas) }
        if beside.columns > 0 || !isNarrow {
            drawSource(at: siteOfSelected(shared), shared, in: beside.columns > 0 ? below : right, on: &canvas)
        }
        drawSelected(tree, hasTable: hasTable, on: &canvas)
    }

    private static let leastTableRows = 4
    private static let leastSharedColumns = 100
    private static let leastSourceRows = 5
    private static let mostSourceMargin = 12

    /// The source at a place, with the lines around it.
    private func drawSource(at site: String?, _ shared: SharedState, in area: Rect, on canvas: inout Canvas) {
        guard area.rows >= Self.leastSourceRows,
            let excerpt = shared.excerpt(at: site, margin: min(Self.mostSourceMargin, (area.rows - 2) / 2))
        else { return }
        for (row, spans) in ([excerpt.title] + excerpt.rows(shared.glyphs)).prefix(area.rows).enumerated() {
            canvas.write(spans, at: area.origin.moved(columns: 1, rows: row), end: area.right - 1)
        }
    }

    /// The functions with the most samples of their own, as shares of all that are shown.
    private func drawFunctions(_ tree: FlameTree, _ shared: SharedState, in area: Rect, on canvas: inout Canvas) {
        func share(_ count: Int) -> String { Self.right(Self.share(count, of: tree.count), 7) }
        canvas.write("    own   total  function", at: area.origin, style: Style(.columnHeader), limit: area.columns)
        for (index, function) in functions.prefix(area.rows - 1).enumerated() {
            let origin = area.row(index + 1).origin
            canvas.write("\(share(function.own)) \(share(function.total))", at: origin, style: .text, limit: area.columns)
            let room = max(0, area.columns - 17)
            canvas.write(function.name.fitting(room, shared.glyphs), at: origin.moved(columns: 17), style: .text, limit: room)
        }
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func share(_ count: Int, of whole: Int) -> String {
        let tenths = (count * 1000 + whole / 2) / max(1, whole)
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// The five parts of the selected task's time, or the three of a job.
    private func drawParts(_ shared: SharedState, on canvas: inout Canvas) {
        if scope == .job, let parts = job?.parts {
            return draw([("on a processor", parts.onCPU), ("runnable", parts.runnable), ("blocked", parts.blocked)], shared, on: &canvas)
        }
        if scope != .task, let end = reading?.steps.threadTimes?.end {
            let sentence = end.sentence(at: shared.duration(end.time)).fittingWords(title.columns - 2, shared.glyphs)
            canvas.write(sentence, at: title.row(1).origin.moved(columns: 1), style: Style(.dim), limit: title.columns - 2)
        }
        guard scope == .task, let reading, let task = shared.selection.flatMap({ shared.history.latest.task($0) }),
            let parts = TimeParts(task, in: shared.history.latest, reading.steps)
        else { return }
        let named = [
            ("on a processor", parts.onCPU), ("runnable", parts.runnable), ("blocked", parts.blocked), ("queued", parts.queued),
            ("awaiting", parts.awaiting),
        ]
        draw(named, shared, on: &canvas)
    }

    private func draw(_ named: [(name: String, time: UInt64?)], _ shared: SharedState, on canvas: inout Canvas) {
        let text = named.map { "\($0.name) \($0.time.map { shared.duration($0) } ?? "unknown")" }.joined(separator: ", ")
        canvas.write(" \(text)", at: title.row(1).origin, style: .text, limit: title.columns - 1)
    }

    private func draw(_ box: Box, _ tree: FlameTree, _ shared: SharedState, on canvas: inout Canvas) {
        let node = tree.nodes[box.node]
        let role: Role = node.task != .none ? .title : node.depth % 2 == 0 ? .running : .queued
        let width = box.area.columns
        if width >= 3 {
            canvas.put(.vertical, at: box.area.origin, style: Style(.dim))
            let name = node.name.fitting(width - 2, shared.glyphs) + " "
            let written = canvas.write(name, at: box.area.origin.moved(columns: 1), style: Style(role), limit: width - 1)
            // A line shows how far the call reaches.
            for column in (written + 1)..<max(written + 1, width) {
                canvas.put(.horizontal, at: box.area.origin.moved(columns: column), style: Style(.dim))
            }
        } else {
            for column in 0..<width { canvas.put(.bar4, at: box.area.origin.moved(columns: column), style: Style(role)) }
        }
        if box.node == selected { canvas.restyle(box.area, .selected) }
    }

    /// The whole name of the selected call, and the functions with the most samples of their own.
    private func drawSelected(_ tree: FlameTree, hasTable: Bool, on canvas: inout Canvas) {
        func share(_ count: Int) -> String { "\(count * 100 / max(1, tree.count)) %" }
        let node = tree.nodes[selected]
        canvas.write(
            [
                Span(" \(share(node.count))  ", .text, .bold), Span(node.name), Span(node.site.isEmpty ? "" : "  \(node.site)"),
                Span("  \(CountText.text(node.count, "sample"))", .dim),
            ],
            at: bottom.origin, end: bottom.right - 1)
        guard !hasTable else { return }
        let top = functions.prefix(5).map { "\($0.name) \(share($0.own))" }.joined(separator: ", ")
        canvas.write(" on top: \(top)", at: bottom.row(1).origin, style: Style(.dim), limit: bottom.columns - 1)
    }

    // MARK: Without samples

    private static let leastCodeColumns = 20

    private func drawSites(_ shared: SharedState, on canvas: inout Canvas) {
        canvas.write(
            [Span(" Time of tasks by place", .title), Span("  'hopscope record --profile' takes samples", .dim)], at: title.origin,
            end: title.right - 1)
        typealias Column = (name: String, value: (SiteTimes) -> UInt64?)
        let all: [Column] = [("running", \.running), ("blocked", \.blocked), ("queued", \.queued), ("awaiting", \.awaiting)]
        let width = 10
        // The last column is the scroll mark's. A narrow terminal has room for two parts.
        let room = graph.columns - 9
        let columns = room - all.count * width < 20 ? [all[0], all[2]] : all
        let left = room - columns.count * width
        func row(_ site: String, _ tasks: String, _ parts: [String], at origin: Point, _ style: Style, on canvas: inout Canvas) {
            let numbers = Self.right(tasks, 7) + parts.map { Self.right($0, width) }.joined()
            canvas.write(" " + site.fitting(left - 2, shared.glyphs), at: origin, style: style, limit: left - 1)
            canvas.write(numbers, at: origin.moved(columns: left), style: style, limit: room + 7 - left)
        }
        row("tasks made at", "tasks", columns.map(\.name), at: title.row(1).origin, Style(.columnHeader), on: &canvas)
        pane.draw(on: &canvas) { index, area, canvas in
            guard sites.indices.contains(index) else { return }
            let site = sites[index]
            let parts = columns.map { $0.value(site).map { shared.duration($0) } ?? "unknown" }
            row(site.site, CountText.text(site.tasks), parts, at: area.origin, Style(.text), on: &canvas)
            // The line of code stands where the site leaves room.
            let start = CharacterWidth.of(site.site) + 3
            guard start + Self.leastCodeColumns < left, let code = shared.excerpt(at: site.site)?.text else { return }
            canvas.write(
                code.fittingWords(left - start - 2, shared.glyphs), at: area.origin.moved(columns: start), style: Style(.dim),
                limit: left - start - 1)
        }
        guard let selected = pane.selected, sites.indices.contains(selected) else { return }
        drawSource(at: sites[selected].site, shared, in: graph.rows(min(graph.rows, pane.end + 1 - graph.top)..<graph.rows), on: &canvas)
    }
}
