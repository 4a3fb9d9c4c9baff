import TerminalCanvas
import TraceStore

/// The last line: the keys that work here, as many as there is room for.
enum Footer {
    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.dim))
        var start = Point(column: rect.left + 1, row: rect.top)
        var entries = entries(of: model)
        // What there is to say comes before the keys, which have the room that it leaves.
        if let notice = model.notice {
            start.column = canvas.write([Span(notice, .warning)], at: start, end: rect.right - 1) + 3
            guard width(of: entries.filter(staysInSight), model) < rect.right - start.column else { return }
            if model.isHolding { entries.removeAll { !isControl($0) && !staysInSight($0) } }
        }
        for entry in fitting(entries, in: rect.right - start.column, model) {
            let spans = [Span(keys(of: entry, model.glyphs), .key, .bold), Span(" \(label(of: entry, model))", .dim)]
            start.column = canvas.write(spans, at: start, end: rect.right) + 2
        }
    }

    /// Help and quit are what one looks for when lost: the others have the room that these leave.
    private static func fitting(_ entries: [Binding], in columns: Int, _ model: Model) -> [Binding] {
        var left = columns - width(of: entries.filter(staysInSight), model)
        return entries.filter { entry in
            guard !staysInSight(entry) else { return true }
            let width = width(of: [entry], model)
            guard width <= left else { return false }
            left -= width
            return true
        }
    }

    /// Paused, the keys that go through time come first. Live, the only one of them is the one that pauses, behind the screen's own; while jobs
    /// are held, the keys that let them go come first.
    private static func entries(of model: Model) -> [Binding] {
        let entries = KeyTable.entries(in: model.context, \.footer)
        let time = entries.filter(\.goesThroughTime)
        let control = entries.filter(isControl)
        let others = entries.filter { !$0.goesThroughTime && !isControl($0) }
        guard model.history.isAtLatest else { return time + others }
        let pause = time.filter { $0.command == .time(.pause) }
        let first = model.isHolding ? control : []
        return first + others.filter { !staysInSight($0) } + pause + others.filter(staysInSight)
    }

    static func keys(of entry: Binding, _ glyphs: GlyphSet) -> String {
        guard glyphs.isASCII else { return entry.shown }
        return switch entry.shown {
        case "↑↓": "Up Down"
        case "←→": "Left Right"
        case let shown: shown
        }
    }

    /// With the blanks behind each.
    private static func width(of entries: [Binding], _ model: Model) -> Int {
        entries.reduce(0) { $0 + CharacterWidth.of(keys(of: $1, model.glyphs)) + CharacterWidth.of(label(of: $1, model)) + 3 }
    }

    private static func label(of entry: Binding, _ model: Model) -> String {
        if entry.command == .time(.pause), !model.history.isAtLatest { return "go on" }
        if entry.command == .control(.hold), model.isHolding { return "let go" }
        return model.glyphs.isASCII ? entry.footer.replacing("…", with: "...") : entry.footer
    }

    private static func staysInSight(_ entry: Binding) -> Bool {
        entry.command == .help || entry.command == .quit
    }

    private static func isControl(_ entry: Binding) -> Bool {
        if case .control = entry.command { return true }
        return false
    }
}
