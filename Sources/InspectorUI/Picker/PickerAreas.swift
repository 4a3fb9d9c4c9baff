import TerminalCanvas

/// The areas of the picker.
struct PickerAreas {
    let header: Rect
    let list: Rect
    let filter: Rect
    let rule: Rect
    let sentence: Rect
    let footer: Rect

    init(size: Size, isFiltered: Bool) {
        var rest = Rect(column: 0, row: 0, columns: size.columns, rows: size.rows)
        (header, rest) = rest.split(top: 1)
        (footer, rest) = rest.split(bottom: 1)
        (sentence, rest) = rest.split(bottom: size.rows < 20 ? 3 : 4)
        (rule, rest) = rest.split(bottom: 1)
        (filter, list) = rest.split(bottom: isFiltered ? 1 : 0)
    }
}

/// The picker's last line: its keys.
enum PickerFooter {
    private static let keys: [(shown: String, label: String, key: Key)] = [
        ("Enter", "open", .enter), ("↑↓", "select", .down), ("Tab", "part", .tab), ("/", "narrow", .character("/")),
        ("?", "help", .character("?")), ("q", "quit", .character("q")),
    ]

    private static func entries(in rect: Rect, _ glyphs: GlyphSet) -> [(shown: String, label: String, key: Key, columns: Range<Int>)] {
        var column = rect.left + 1
        return keys.map { entry in
            let shown = glyphs.isASCII && entry.shown == "↑↓" ? "Up Down" : entry.shown
            let start = column
            column += CharacterWidth.of(shown) + entry.label.count + 3
            return (shown, entry.label, entry.key, start..<column - 2)
        }
    }

    static func key(at point: Point, in rect: Rect, _ glyphs: GlyphSet) -> Key? {
        rect.contains(point) ? entries(in: rect, glyphs).first { $0.columns.contains(point.column) }?.key : nil
    }

    static func draw(in rect: Rect, _ glyphs: GlyphSet, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.dim))
        for entry in entries(in: rect, glyphs) where entry.columns.upperBound < rect.right {
            let spans = [Span(entry.shown, .key, .bold), Span(" " + entry.label, .dim)]
            canvas.write(spans, at: Point(column: entry.columns.lowerBound, row: rect.top), end: rect.right)
        }
    }
}
