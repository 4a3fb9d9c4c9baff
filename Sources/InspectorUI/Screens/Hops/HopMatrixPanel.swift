import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws the matrix: one row per source executor, one column per target executor, and in each cell the count and the 99th percentile of the
/// wait.
struct HopMatrixPanel {
    let matrix: HopMatrix
    let sources: [ExecutorID]
    let targets: [ExecutorID]
    let selected: HopEnds?
    /// Whether the keys move in the matrix.
    let hasKeys: Bool
    let columns: HopMatrixColumns
    let shared: SharedState

    private var store: TraceStore { shared.store }

    func draw(heading: Rect, pane: ListPane, firstColumn: Int, on canvas: inout Canvas) {
        let words = TaskWords(store)
        let shown = targets.indices.dropFirst(firstColumn).prefix(columns.shown)
        canvas.fill(heading, style: Style(.columnHeader))
        canvas.write(" from\\to: n p99", at: heading.origin, style: Style(.columnHeader))
        for (position, index) in shown.enumerated() {
            let point = heading.origin.moved(columns: columns.start(of: position))
            canvas.write(
                words.name(targets[index]).fittingName(columns.cell - 1, shared.glyphs), at: point,
                style: style(of: targets[index], .columnHeader), limit: columns.cell - 1, align: .right)
        }
        if shown.count < targets.count {
            canvas.put(.ellipsis, at: Point(column: heading.right - 1, row: heading.top), style: Style(.warning))
        }
        for (line, row) in pane.rows.enumerated() {
            let area = pane.area.row(line)
            canvas.write(
                words.name(sources[row]).fittingName(HopMatrixColumns.name - 1, shared.glyphs), at: area.origin.moved(columns: 1),
                style: style(of: sources[row], .text), limit: HopMatrixColumns.name - 1)
            for (position, index) in shown.enumerated() {
                let ends = HopEnds(from: sources[row], to: targets[index])
                let start = columns.start(of: position)
                let cell = area.columns(start - 1..<start + columns.cell - 1)
                draw(matrix.cells[ends], ends, in: cell, on: &canvas)
                if ends == selected { canvas.restyle(cell, hasKeys ? [.selected, .bold] : .selected) }
            }
        }
        pane.drawScrollBar(on: &canvas)
    }

    private func draw(_ cell: HopCell?, _ ends: HopEnds, in rect: Rect, on canvas: inout Canvas) {
        guard let cell else {
            canvas.put(.none, at: Point(column: rect.right - 1, row: rect.top), style: Style(.dim))
            return
        }
        let wait = cell.waits.count > 0 ? shared.duration(cell.p99) : ""
        let isWarned = shared.findings.hopWarnings.isWarned(cell, ends)
        // The title of the list names the class.
        if isWarned {
            let digits = CountText.text(cell.count).count
            canvas.put(.warning, at: Point(column: rect.right - 11 - digits, row: rect.top), style: Style(.warning))
        }
        canvas.write(
            number: cell.count, grouped: true, at: rect.origin.moved(columns: 2), style: Style(isWarned ? .warning : .text),
            limit: rect.columns - 2 - 9,
            align: .right)
        canvas.write(wait, at: Point(column: rect.right - 8, row: rect.top), style: Style(.dim), limit: 8, align: .right)
    }

    private func style(of executor: ExecutorID, _ role: Role) -> Style {
        Style(executor == .none ? .dim : store.role(of: executor, else: role))
    }
}

/// The columns of the matrix. Cells are narrower where not all fit otherwise.
struct HopMatrixColumns {
    static let name = 16
    private static let usualCell = 17
    /// The columns of a cell beside its count: blanks, the wait, and the sign of a finding.
    private static let besideCount = 11

    let cell: Int
    /// The number of matrix columns that fit.
    let shown: Int

    init(width: Int, _ matrix: HopMatrix, targets: Int) {
        let free = width - Self.name - 1
        let digits = CountText.text(matrix.cells.values.lazy.map(\.count).max() ?? 0).count
        cell = max(Self.besideCount + digits, min(Self.usualCell, free / max(1, targets)))
        shown = max(1, free / cell)
    }

    /// The first column of a cell.
    func start(of position: Int) -> Int { Self.name + 1 + position * cell }

    /// The position of the cell at a column of the panel. Nil to the left of the first.
    func position(at column: Int) -> Int? { column > Self.name ? (column - Self.name - 1) / cell : nil }
}
