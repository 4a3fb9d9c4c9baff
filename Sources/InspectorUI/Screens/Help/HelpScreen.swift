import TerminalCanvas

/// The help overlay: all keys, with those of the screen below first.
struct HelpScreen: Layer {
    static let name = ScreenName("Help")
    static let modes = [
        KeyMode(
            "Help", hasGeneralKeys: false,
            KeyRow.scrolling + [
                KeyRow(.end, shown: "Home G", .move(.last)), .escape("back", "back to where you were"), .searches, .repaints,
                key(.back),
            ] + LeaveScreen.keysEverywhere)
    ]
    static let facets = Facets<Self>(
        keysEverywhere: [key(.overlay(name))],
        opening: { _, below, _, shared in
            .push(HelpScreen(sections(above: below, shared.glyphs, takesCommands: shared.control.refusal == nil)))
        },
        search: .init(
            rows: { help, _ in
                SearchedRows(count: help.lines.count, cursor: help.pane.selected ?? help.pane.rows.lowerBound) { [lines = help.lines] in
                    lines[$0].map(\.text).joined()
                }
            }, select: { help, row, _ in help.pane.select(row) }))

    private static func key(_ command: Command) -> KeyRow {
        KeyRow(.character("?"), shown: "?", footer: "help", help: "show or leave this help", group: .basic, command)
    }

    /// The keys of a mode with their effects.
    struct Section {
        var title: String
        var keys: [(keys: String, help: String)]
    }

    /// The width of the column of keys.
    private static let keyColumns = 14
    /// The widths of the frame: with the sections below each other, and in two columns.
    private static let (columns, wideColumns) = (76, 138)
    private static let gapColumns = 3

    private let sections: [Section]
    private(set) var lines: [[Span]] = []
    private(set) var pane = ListPane()
    private var body = Rect.empty

    init(_ sections: [Section]) {
        self.sections = sections
    }

    private var frame: Rect {
        Rect(column: pane.area.left - 2, row: pane.area.top - 1, columns: pane.area.columns + 4, rows: pane.area.rows + 2)
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        self.body = body
        let isWide = body.columns >= Self.wideColumns + 2
        let columns = isWide ? Self.wideColumns : min(body.columns - 2, Self.columns)
        lines = isWide ? linesInTwoColumns(columns: columns - 5) : Self.lines(of: sections, columns: columns - 5)
        let rows = min(body.rows, lines.count + 2)
        let frame = Rect(
            column: body.left + (body.columns - columns) / 2, row: body.top + (body.rows - rows) / 2, columns: columns, rows: rows)
        pane.layOut(in: frame.inset(columns: 2, rows: 1), count: lines.count)
    }

    private static func lines(of sections: [Section], columns: Int) -> [[Span]] {
        Array(sections.map { lines(of: $0, columns: columns) }.joined(separator: [[]]))
    }

    /// The keys of the screen below are at the top left. Each other section is in the column that is shorter so far.
    private func linesInTwoColumns(columns: Int) -> [[Span]] {
        let half = (columns - Self.gapColumns) / 2
        var (left, right): ([[Span]], [[Span]]) = ([], [])
        for section in sections {
            let lines = Self.lines(of: section, columns: half) + [[]]
            if left.count <= right.count { left += lines } else { right += lines }
        }
        if left.count >= right.count { left.removeLast(min(1, left.count)) } else { right.removeLast() }
        return (0..<max(left.count, right.count)).map { row in
            guard row < right.count, !right[row].isEmpty else { return row < left.count ? left[row] : [] }
            let start = row < left.count ? left[row] : []
            let gap = half + Self.gapColumns - start.reduce(0) { $0 + $1.width }
            return start + [Span(String(repeating: " ", count: max(1, gap)))] + right[row]
        }
    }

    /// The section's lines. The effect stands beside the key and is wrapped.
    private static func lines(of section: Section, columns: Int) -> [[Span]] {
        var lines = [[Span(section.title, .title, .bold)]]
        for (keys, help) in section.keys {
            let gap = String(repeating: " ", count: max(1, keyColumns - 2 - CharacterWidth.of(keys)))
            for (number, text) in WrappedText.lines(help, columns: columns - keyColumns).enumerated() {
                lines.append(
                    number == 0
                        ? [Span("  " + keys, .key, .bold), Span(gap + text)]
                        : [Span(String(repeating: " ", count: keyColumns) + text)])
            }
        }
        return lines
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer { .changed(if: pane.scroll(movement)) }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer { .close() }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        let frame = frame
        canvas.fill(body)
        canvas.frame(frame)
        canvas.write(" Keys ", at: frame.origin.moved(columns: 2), style: Style(.title, .bold))
        pane.draw(on: &canvas) { row, rowArea, canvas in canvas.write(lines[row], at: rowArea.origin, end: rowArea.right) }
    }
}
