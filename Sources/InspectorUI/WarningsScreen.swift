import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// What is wrong, a line for each kind however many there are of it, and what proves the selected one.
enum WarningsScreen {
    static func areas(_ body: Rect) -> ListAndPanel {
        ListAndPanel(body, listRows: body.rows * 2 / 5)
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let state = model.warnings
        guard !state.groups.isEmpty else {
            EmptyNote.draw(emptyText(model), in: rect, on: &canvas)
            return
        }
        let areas = areas(rect)
        areas.drawRule(on: &canvas)
        let columns = WarningColumns(width: areas.list.columns)
        drawHeading(columns, in: areas.heading, on: &canvas)
        canvas.clipped(to: areas.list) { canvas in
            for (line, row) in state.window.rows(count: state.groups.count, height: areas.list.rows).enumerated() {
                let area = areas.list.row(line)
                draw(state.groups[row], columns, in: area, on: &canvas)
                if row == state.row { canvas.restyle(area, .selected) }
            }
        }
        canvas.clipped(to: areas.panel) { canvas in
            WarningPanel(model: model).draw(in: areas.panel, on: &canvas)
        }
    }

    private static func emptyText(_ model: Model) -> String {
        guard model.warnings.list != nil || model.history.isAtLatest else {
            return "Looking at what had happened by this event: \(model.warnings.seenCount * 100 / max(1, model.history.position)) %."
        }
        let suppressed = model.warnings.list?.suppressedCount ?? 0
        let rest = suppressed > 0 ? " \(CountText.text(suppressed, "finding")) suppressed: u lists them again." : ""
        guard model.history.isAtLatest else { return "Nothing was wrong by any rule at this event." + rest }
        return (model.hasEnded ? "Nothing is wrong by any rule." : "Nothing is wrong so far: what is appears here with what proves it.")
            + rest
    }

    private static func drawHeading(_ columns: WarningColumns, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.columnHeader))
        for (title, place, align) in [
            ("Severity", columns.severity, Alignment.left), ("Rule", columns.rule, .left), ("Count", columns.count, .right),
            ("Newest", columns.newest, .right), ("Where", columns.place, .left),
        ] {
            let point = Point(column: rect.left + place.lowerBound, row: rect.top)
            canvas.write(title, at: point, style: Style(.columnHeader), limit: place.count, align: align)
        }
    }

    private static func draw(_ group: WarningGroup, _ columns: WarningColumns, in rect: Rect, on canvas: inout Canvas) {
        func point(_ place: Range<Int>) -> Point { Point(column: rect.left + place.lowerBound, row: rect.top) }
        let style = Style(group.severity.role)
        canvas.put(group.severity.canvasGlyph, at: point(columns.severity), style: style)
        canvas.write(
            group.severity.name, at: point(columns.severity).moved(columns: 2), style: style, limit: columns.severity.count - 2)
        canvas.write(group.rule, at: point(columns.rule), style: Style(.text, .bold), limit: columns.rule.count)
        canvas.write(CountText.text(group.count), at: point(columns.count), style: Style(.text), limit: columns.count.count, align: .right)
        canvas.write(
            ClockText.text(group.newest.at), at: point(columns.newest), style: Style(.dim), limit: columns.newest.count, align: .right)
        canvas.write(group.place, at: point(columns.place), style: Style(.dim), limit: columns.place.count)
    }
}

/// Where the parts of a kind's line stand.
struct WarningColumns {
    let severity = 1..<11
    let rule = 12..<30
    let count = 30..<38
    let newest = 39..<48
    let place: Range<Int>

    init(width: Int) {
        place = 50..<max(51, width)
    }
}
