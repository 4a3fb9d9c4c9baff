import TerminalCanvas
import TraceStore

/// The last line: the keys of the current mode, as many as fit.
enum Footer {
    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.dim))
        var start = Point(column: rect.left + 1, row: rect.top)
        var entries = entries(of: model)
        // A notice comes before the keys, which get the rest of the line.
        if let notice = model.shared.notice {
            start.column = canvas.write([Span(notice, .warning)], at: start, end: rect.right - 1) + 3
            guard width(of: entries.filter(staysInSight), model) < rect.right - start.column else { return }
            if model.shared.isHolding { entries.removeAll { !isControl($0) && !staysInSight($0) } }
        }
        for entry in fitting(entries, in: rect.right - start.column, model) {
            let spans = [Span(entry.shown(model.glyphs), .key, .bold), Span(" \(label(of: entry, model))", .dim)]
            start.column = canvas.write(spans, at: start, end: rect.right) + 2
        }
    }

    /// Help and quit always stay visible, because a lost user looks for them. The other keys get the rest of the line.
    private static func fitting(_ entries: [KeyRow], in columns: Int, _ model: Model) -> [KeyRow] {
        var left = columns - width(of: entries.filter(staysInSight), model)
        return entries.filter { entry in
            guard !staysInSight(entry) else { return true }
            let width = width(of: [entry], model)
            guard width <= left else { return false }
            left -= width
            return true
        }
    }

    /// While paused, the keys for time come first. While live, only the pause key among them is listed, after the screen's own keys. While
    /// jobs are held, the keys that release jobs come first.
    private static func entries(of model: Model) -> [KeyRow] {
        let entries = KeyTable.entries(in: model.mode, \.footer)
        let time = entries.filter { $0.group == .time }
        let control = entries.filter(isControl)
        let others = entries.filter { $0.group != .time && !isControl($0) }
        guard model.history.isAtLatest else { return time + others }
        let pause = time.filter { $0.footerMeanwhile != nil }
        let first = model.shared.isHolding ? control : []
        return first + others.filter { !staysInSight($0) } + pause + others.filter(staysInSight)
    }

    /// The width with the blanks after each entry.
    private static func width(of entries: [KeyRow], _ model: Model) -> Int {
        entries.reduce(0) { $0 + CharacterWidth.of($1.shown(model.glyphs)) + CharacterWidth.of(label(of: $1, model)) + 3 }
    }

    private static func label(of entry: KeyRow, _ model: Model) -> String {
        let isMeanwhile = entry.group == .time && !model.history.isAtLatest || entry.group == .control && model.shared.isHolding
        let text = isMeanwhile ? entry.footerMeanwhile ?? entry.footer : entry.footer
        return model.glyphs.isASCII ? text.replacing("…", with: "...") : text
    }

    private static func staysInSight(_ entry: KeyRow) -> Bool { entry.group == .basic }

    private static func isControl(_ entry: KeyRow) -> Bool { entry.group == .control }
}
