import TerminalCanvas
import TraceStore

/// The last line: the keys that work here, as many as there is room for.
enum Footer {
    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.dim))
        // Help and quit are what one looks for when lost: the others have the room that these leave.
        if let notice = model.notice {
            canvas.write(notice, at: Point(column: rect.left + 1, row: rect.top), style: Style(.warning))
            return
        }
        let entries = entries(of: model)
        var left = rect.columns - 1 - entries.filter(staysInSight).reduce(0) { $0 + width(of: $1, model) + 2 }
        let shown = entries.filter { entry in
            guard !staysInSight(entry) else { return true }
            let width = width(of: entry, model) + 2
            guard width <= left else { return false }
            left -= width
            return true
        }
        var column = rect.left + 1
        for entry in shown {
            let spans = [Span(keys(of: entry, model.glyphs), .key, .bold), Span(" \(label(of: entry, model))", .dim)]
            column = canvas.write(spans, at: Point(column: column, row: rect.top), end: rect.right) + 2
        }
    }

    /// Paused, the keys that go through time come first; live, the only one of them is the one that pauses, behind the screen's own.
    private static func entries(of model: Model) -> [Binding] {
        let entries = KeyTable.entries(in: model.context, \.footer)
        let time = entries.filter(\.goesThroughTime)
        let others = entries.filter { !$0.goesThroughTime }
        guard model.timeline.isAtLatest else { return time + others }
        let pause = time.filter { $0.command == .time(.pause) }
        return others.filter { !staysInSight($0) } + pause + others.filter(staysInSight)
    }

    static func keys(of entry: Binding, _ glyphs: GlyphSet) -> String {
        guard glyphs.isASCII else { return entry.shown }
        return switch entry.shown {
        case "↑↓": "Up Down"
        case "←→": "Left Right"
        case let shown: shown
        }
    }

    private static func width(of entry: Binding, _ model: Model) -> Int {
        CharacterWidth.of(keys(of: entry, model.glyphs)) + 1 + CharacterWidth.of(label(of: entry, model))
    }

    private static func label(of entry: Binding, _ model: Model) -> String {
        entry.command == .time(.pause) && !model.timeline.isAtLatest ? "go on" : entry.footer
    }

    private static func staysInSight(_ entry: Binding) -> Bool {
        entry.command == .help || entry.command == .quit
    }
}
