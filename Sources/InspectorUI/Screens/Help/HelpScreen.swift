import TerminalCanvas

/// The help overlay: all keys, with those of the screen below first.
struct HelpScreen: Screen {
    static let name = ScreenName("Help", digit: nil)
    static let modes = [
        KeyMode(
            "Help", hasGeneralKeys: false,
            KeyRow.scrolling + [
                KeyRow(.end, shown: "Home G", .move(.last)), .escape("back", "back to where you were"), .searches, .repaints, .help, .quits,
            ])
    ]

    /// The keys of a mode with their effects.
    struct Section {
        var title: String
        var keys: [(keys: String, help: String)]
    }

    /// The width of the column of keys.
    private static let keyColumns = 14

    private let sections: [Section]
    private(set) var lines: [[Span]] = []
    private(set) var pane = ListPane()
    private var body = Rect(column: 0, row: 0, columns: 0, rows: 0)

    init(_ sections: [Section]) {
        self.sections = sections
    }

    var coversScreen: Bool { true }
    private var frame: Rect {
        Rect(column: pane.area.left - 2, row: pane.area.top - 1, columns: pane.area.columns + 4, rows: pane.area.rows + 2)
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        self.body = body
        let columns = min(body.columns - 2, 76)
        lines = Array(sections.map { lines(of: $0, columns: columns - 5) }.joined(separator: [[]]))
        let rows = min(body.rows, lines.count + 2)
        let frame = Rect(
            column: body.left + (body.columns - columns) / 2, row: body.top + (body.rows - rows) / 2, columns: columns, rows: rows)
        pane.layOut(in: frame.inset(columns: 2, rows: 1), count: lines.count)
    }

    /// The section's lines. The effect stands beside the key and is wrapped.
    private func lines(of section: Section, columns: Int) -> [[Span]] {
        var lines = [[Span(section.title, .title, .bold)]]
        for (keys, help) in section.keys {
            let gap = String(repeating: " ", count: max(1, Self.keyColumns - 2 - CharacterWidth.of(keys)))
            for (number, text) in WrappedText.lines(help, columns: columns - Self.keyColumns).enumerated() {
                lines.append(
                    number == 0
                        ? [Span("  " + keys, .key, .bold), Span(gap + text)]
                        : [Span(String(repeating: " ", count: Self.keyColumns) + text)])
            }
        }
        return lines
    }

    mutating func arrange(_ shared: inout SharedState, at time: UInt64) {}

    mutating func move(_ movement: Movement, _ shared: inout SharedState) {
        pane.scroll(movement)
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) {
        pane.scroll(by: rows)
    }

    func searched(_ shared: SharedState) -> SearchedRows? {
        SearchedRows(count: lines.count, cursor: pane.selected ?? pane.rows.lowerBound) { [lines] in lines[$0].map(\.text).joined() }
    }

    mutating func select(found row: Int, _ shared: inout SharedState) {
        pane.select(row)
    }

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        let frame = frame
        canvas.fill(body)
        canvas.frame(frame)
        canvas.write(" Keys ", at: frame.origin.moved(columns: 2), style: Style(.title, .bold))
        pane.draw(on: &canvas) { row, place, canvas in canvas.write(lines[row], at: place.origin, end: place.right) }
    }
}
