import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Every task, a line each; only the lines in sight are looked at.
enum TasksScreen {
    static func areas(_ body: Rect, showsFilter: Bool) -> (heading: Rect, list: Rect, filter: Rect) {
        let (heading, below) = body.split(top: 1)
        let (filter, list) = below.split(bottom: showsFilter ? 1 : 0)
        return (heading, list, filter)
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let areas = areas(rect, showsFilter: model.tasks.showsFilter)
        let columns = model.tasks.columns.fit(rect.columns)
        drawHeading(model, columns, in: areas.heading, on: &canvas)
        let rows = model.tasks.rows
        for (line, row) in model.tasks.window.rows(count: rows.count, height: areas.list.rows).enumerated() {
            let area = areas.list.row(line)
            switch rows[row] {
            case .task(let id):
                guard let task = model.store.task(id) else { continue }
                TaskLine(task: task, model: model).draw(columns, in: area, on: &canvas)
            case .heading(let group, let isFolded):
                GroupHeading(group: group, isFolded: isFolded, model: model).draw(in: area, on: &canvas)
            }
            if row == model.tasks.selectedRow { canvas.restyle(area, .selected) }
        }
        if rows.count == 0 { drawEmpty(model, in: areas.list, on: &canvas) }
        if model.tasks.showsFilter { drawFilter(model, in: areas.filter, on: &canvas) }
    }

    private static func drawHeading(
        _ model: Model, _ columns: [(column: TaskColumn, place: Range<Int>)], in rect: Rect, on canvas: inout Canvas
    ) {
        canvas.fill(rect, style: Style(.columnHeader))
        for (column, place) in columns {
            let isSorted = column == model.tasks.sort.column
            let arrow = model.glyphs[model.tasks.sort.isReversed ? .sortedDown : .sortedUp]
            // The first column has no room for both; its arrow says enough.
            let title = isSorted ? (column == .mark ? "" : column.row.title) + String(Character(arrow)) : column.row.title
            canvas.write(
                title, at: Point(column: rect.left + place.lowerBound, row: rect.top), style: Style(.columnHeader, isSorted ? .bold : []),
                limit: place.count, align: column.row.alignment)
        }
    }

    private static func drawEmpty(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let text: String
        if !model.tasks.query.isEmpty, model.store.keptCount > 0 {
            text = "No task fits the filter. Esc drops it."
        } else if model.hasEnded {
            text = "The program ended without making a task."
        } else {
            text = "No task yet: one appears here as soon as the program makes it."
        }
        EmptyNote.draw(text, in: rect, on: &canvas)
    }

    private static func drawFilter(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.filter))
        let order = model.tasks.order
        let sorting = order.isAwaited && order.isBusy ? "sorting  " : ""
        let count = "\(sorting)\(CountText.text(order.fittingCount)) of \(CountText.text(model.store.keptCount, "task"))"
        let text = "/" + model.tasks.filterText
        let end = rect.right - count.count - 3
        let column = canvas.write([Span(" " + text, .filter, model.tasks.isTyping ? .bold : [])], at: rect.origin, end: end)
        if let hint = hint(model) {
            canvas.write([Span(hint.text, hint.isProblem ? .warning : .dim)], at: Point(column: column + 3, row: rect.top), end: end - 1)
        }
        if model.tasks.isTyping { canvas.write(" ", at: Point(column: min(column, end), row: rect.top), style: Style(.filter, .reversed)) }
        canvas.write(count, at: Point(column: rect.right - count.count - 1, row: rect.top), style: Style(.filter))
    }
}

extension TasksScreen {
    /// What of the filter cannot be understood; else, while it is typed, how it may go on.
    private static func hint(_ model: Model) -> (text: String, isProblem: Bool)? {
        let completions = model.tasks.isTyping ? TaskQuery.completions(of: model.tasks.filterText, in: model.store, limit: 8) : []
        // A word that is being typed is no problem as long as it may become one that is known.
        if let problem = model.tasks.problem, completions.isEmpty || problem.place.upperBound < model.tasks.filterText.count {
            return (problem.description, true)
        }
        return completions.isEmpty ? nil : (completions.map(\.text).joined(separator: "  "), false)
    }
}

/// The line above a group's tasks.
struct GroupHeading {
    let group: TaskGroup
    let isFolded: Bool
    let model: Model

    func draw(in rect: Rect, on canvas: inout Canvas) {
        canvas.put(isFolded ? .folded : .unfolded, at: rect.origin.moved(columns: 1), style: Style(.title))
        let spans = title + [Span("  \(CountText.text(group.tasks.count, "task"))", .dim)]
        canvas.write(spans, at: rect.origin.moved(columns: 3), end: rect.right)
    }

    private var title: [Span] {
        let words = TaskWords(model.store)
        switch group.name {
        case .state(let rank):
            guard let mark = StateRank(rawValue: rank)?.mark else { return [] }
            return [Span("\(Character(model.glyphs[mark.canvasGlyph])) \(mark.word)", mark.role, .bold)]
        case .executor(let executor):
            return [Span(executor == .none ? "on no executor" : words.name(executor), .title, .bold)]
        case .name(let name):
            return [Span(name.map(\.printable) ?? "without a name", .title, .bold)]
        case .chain(let chain):
            return [Span("chain \(chain.rawValue)", .dim), Span("  \(NextText.name(of: chain, in: model))", .title, .bold)]
        }
    }
}

/// A sentence in the middle of a screen that has nothing else to show.
enum EmptyNote {
    static func draw(_ text: String, in rect: Rect, on canvas: inout Canvas) {
        let words = text.split(separator: " ")
        var lines: [String] = [""]
        for word in words {
            let last = lines[lines.count - 1]
            if last.count + word.count + 1 > rect.columns - 4 {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
            }
        }
        for (index, line) in lines.enumerated() {
            let row = rect.top + max(0, rect.rows / 3) + index
            canvas.write(line, at: Point(column: rect.left, row: row), style: Style(.dim), limit: rect.columns, align: .center)
        }
    }
}
