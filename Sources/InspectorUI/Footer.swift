import TerminalCanvas

/// The last line: the keys that work here, as many as there is room for.
enum Footer {
    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.dim))
        // Help and quit are what one looks for when lost: the others have the room that these leave.
        let entries = KeyTable.entries(in: model.context, \.footer)
        var left = rect.columns - 1 - entries.filter(staysInSight).reduce(0) { $0 + width(of: $1, model.glyphs) + 2 }
        let shown = entries.filter { entry in
            guard !staysInSight(entry) else { return true }
            let width = width(of: entry, model.glyphs) + 2
            guard width <= left else { return false }
            left -= width
            return true
        }
        var column = rect.left + 1
        for entry in shown {
            let spans = [Span(keys(of: entry, model.glyphs), .key, .bold), Span(" \(entry.footer)", .dim)]
            column = canvas.write(spans, at: Point(column: column, row: rect.top), end: rect.right) + 2
        }
    }

    static func keys(of entry: Binding, _ glyphs: GlyphSet) -> String {
        guard glyphs.isASCII else { return entry.shown }
        return switch entry.shown {
        case "↑↓": "Up Down"
        case "←→": "Left Right"
        case let shown: shown
        }
    }

    private static func width(of entry: Binding, _ glyphs: GlyphSet) -> Int {
        CharacterWidth.of(keys(of: entry, glyphs)) + 1 + CharacterWidth.of(entry.footer)
    }

    private static func staysInSight(_ entry: Binding) -> Bool {
        entry.command == .help || entry.command == .quit
    }
}
