import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The matrix: a row for each executor that hops went from, a column for each that they went to; counts, and the wait that 99 of 100 did not exceed.
struct HopMatrixPanel {
    let model: Model

    private static let nameColumns = 16
    static let cellColumns = 17

    private var store: TraceStore { model.store }

    /// Columns of the matrix that fit.
    static func columnsShown(_ width: Int) -> Int {
        max(1, (width - nameColumns - 1) / cellColumns)
    }

    /// The executors of the cell at a place of the screen.
    static func ends(at point: Point, in rect: Rect, _ model: Model) -> HopEnds? {
        let sources = model.hops.matrix.sources(in: model.store)
        let targets = model.hops.matrix.targets(in: model.store)
        let row = model.hops.matrixWindow.top + point.row - rect.top
        let place = (point.column - rect.left - nameColumns - 1) / cellColumns
        let column = model.hops.firstColumn + place
        guard rect.contains(point), point.column > rect.left + nameColumns, sources.indices.contains(row), targets.indices.contains(column)
        else { return nil }
        return HopEnds(from: sources[row], to: targets[column])
    }

    func draw(heading: Rect, in rect: Rect, on canvas: inout Canvas) {
        let words = TaskWords(store)
        let sources = model.hops.matrix.sources(in: store)
        let targets = model.hops.matrix.targets(in: store)
        let shown = targets.indices.dropFirst(model.hops.firstColumn).prefix(Self.columnsShown(rect.columns))
        canvas.fill(heading, style: Style(.columnHeader))
        canvas.write(" from\\to: n p99", at: heading.origin, style: Style(.columnHeader))
        for (place, index) in shown.enumerated() {
            let point = heading.origin.moved(columns: cellStart(place))
            canvas.write(
                words.name(targets[index]), at: point, style: style(of: targets[index], .columnHeader), limit: Self.cellColumns - 1,
                align: .right)
        }
        if shown.count < targets.count {
            canvas.put(.ellipsis, at: Point(column: heading.right - 1, row: heading.top), style: Style(.warning))
        }
        for (line, row) in model.hops.matrixWindow.rows(count: sources.count, height: rect.rows).enumerated() {
            let area = rect.row(line)
            canvas.write(
                words.name(sources[row]), at: area.origin.moved(columns: 1), style: style(of: sources[row], .text),
                limit: Self.nameColumns - 1)
            for (place, index) in shown.enumerated() {
                let ends = HopEnds(from: sources[row], to: targets[index])
                let cell = area.columns(cellStart(place) - 1..<cellStart(place) + Self.cellColumns - 1)
                draw(model.hops.matrix.cells[ends], in: cell, on: &canvas)
                if ends == model.hops.ends { canvas.restyle(cell, model.hops.part == .matrix ? [.selected, .bold] : .selected) }
            }
        }
    }

    private func draw(_ cell: HopCell?, in rect: Rect, on canvas: inout Canvas) {
        guard let cell else {
            canvas.put(.none, at: Point(column: rect.right - 1, row: rect.top), style: Style(.dim))
            return
        }
        let wait = cell.waits.count > 0 ? DurationText.text(cell.p99, isASCII: model.glyphs.isASCII) : ""
        let isOdd = cell.count(of: .dispatched) + cell.count(of: .inline) < cell.count
        // What is not plain dispatching has a mark, and its classes stand in the list's title.
        if isOdd {
            let digits = CountText.text(cell.count).count
            canvas.put(.warning, at: Point(column: rect.right - 11 - digits, row: rect.top), style: Style(.warning))
        }
        canvas.write(
            number: cell.count, grouped: true, at: rect.origin.moved(columns: 2), style: Style(isOdd ? .warning : .text),
            limit: rect.columns - 2 - 9,
            align: .right)
        canvas.write(wait, at: Point(column: rect.right - 8, row: rect.top), style: Style(.dim), limit: 8, align: .right)
    }

    private func cellStart(_ place: Int) -> Int {
        Self.nameColumns + 1 + place * Self.cellColumns
    }

    private func style(of executor: ExecutorID, _ role: Role) -> Style {
        if executor == .none { return Style(.dim) }
        return Style(store.description(of: executor).kind == .main ? .mainHop : role)
    }
}
