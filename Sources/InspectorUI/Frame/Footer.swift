import TerminalCanvas
import TraceStore

/// The last line: the keys of the current mode, as many as fit.
enum Footer {
    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.dim))
        let start = Point(column: rect.left + 1, row: rect.top)
        if let notice = notice(model) { canvas.write([Span(notice, .warning)], at: start, end: rect.right - 1) }
        for (entry, columns) in entries(of: model, in: rect) {
            let spans = [Span(entry.shown(model.glyphs), .key, .bold), Span(" \(label(of: entry, model))", .dim)]
            canvas.write(spans, at: Point(column: columns.lowerBound, row: rect.top), end: rect.right)
        }
    }

    /// The key at a point, for the mouse.
    static func row(at point: Point, of model: Model, in rect: Rect) -> KeyRow? {
        guard rect.contains(point) else { return nil }
        return entries(of: model, in: rect).first { $0.columns.contains(point.column) }?.entry
    }

    /// The keys that fit, with their columns.
    private static func entries(of model: Model, in rect: Rect) -> [(entry: KeyRow, columns: Range<Int>)] {
        var column = rect.left + 1
        var entries = entries(of: model)
        // A notice comes first. The keys get the rest of the line.
        if let notice = notice(model) {
            column = min(rect.right - 1, column + CharacterWidth.of(notice)) + 3
            guard width(of: entries.filter(staysInSight), model) < rect.right - column else { return [] }
            if model.shared.isHolding { entries.removeAll { !isControl($0) && !staysInSight($0) } }
        }
        return fitting(entries, in: rect.right - column, model).map { entry in
            let start = column
            column += width(of: [entry], model)
            return (entry, start..<column - 2)
        }
    }

    private static func notice(_ model: Model) -> String? {
        (model.shared.notice ?? waiting(model)).map(model.shared.sentence)
    }

    /// The notice while the program has not answered the user's command.
    private static func waiting(_ model: Model) -> String? {
        model.shared.control.awaitedAnswer == nil ? nil : "Waiting for the program's answer" + (model.glyphs.isASCII ? "..." : "…")
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

    /// While paused, the keys for time come first. While live, only the pause key among them is listed, after the screen's own keys. In a
    /// trace that is over, the steps by event and by fault stand there instead. While jobs are held, the keys that release jobs come first.
    private static func entries(of model: Model) -> [KeyRow] {
        let idle = model.layers.top.idleKeys(model.shared)
        let names = model.names
        let all = model.keys.entries(in: model.mode, \.footer, orIf: \.goesBack).filter { entry in
            if case .go(let name) = entry.command, !names.contains(name) { return false }
            if isControl(entry) { return model.shared.control.refusal == nil }
            return entry.goesBack ? offersBack(entry, model) : !entry.keys.contains(where: idle.contains)
        }
        // The way back from a place that a line has led to comes first.
        let isLed = model.layers.titleBehind(model.shared) != nil
        let entries = isLed ? all.filter(\.goesBack) + all.filter { !$0.goesBack } : all
        let time = entries.filter { $0.group == .time }
        let control = entries.filter(isControl)
        let others = entries.filter { $0.group != .time && !isControl($0) }
        guard model.history.isAtLatest else {
            let own = type(of: model.layers.top).movesTime ? model.mode.rows.map(\.shown) : []
            return others.filter { own.contains($0.shown) } + time + others.filter { !own.contains($0.shown) }
        }
        if model.shared.isAtEnd {
            let waits = (others.firstIndex(where: \.explainsWait) ?? -1) + 1
            let steps = time.filter(\.isCommonStep)
            return others[..<waits].filter { !staysInSight($0) } + steps + Array(others[waits...])
        }
        let pause = time.filter { $0.footerMeanwhile != nil }
        let first = model.shared.isHolding ? control : []
        return first + others.filter { !staysInSight($0) } + pause + others.filter(staysInSight)
    }

    /// The width with the blanks after each entry.
    private static func width(of entries: [KeyRow], _ model: Model) -> Int {
        entries.reduce(0) { $0 + CharacterWidth.of($1.shown(model.glyphs)) + CharacterWidth.of(label(of: $1, model)) + 3 }
    }

    /// Whether Esc leads anywhere. On a screen that the user has picked, only a screen that has a word for it offers it.
    private static func offersBack(_ entry: KeyRow, _ model: Model) -> Bool {
        let layers = model.layers
        if layers.titleBehind(model.shared) != nil { return true }
        let leads = !layers.overlays.isEmpty || layers.hasInnerStep(model.shared) || !layers.trail.isEmpty
        return leads && !entry.footer.isEmpty
    }

    private static func label(of entry: KeyRow, _ model: Model) -> String {
        if entry.goesBack, model.layers.overlays.isEmpty {
            let title = model.layers.titleBehind(model.shared)
            return title.map { "to \($0)" } ?? entry.footer
        }
        let isMeanwhile = entry.group == .time && !model.history.isAtLatest || entry.group == .control && model.shared.isHolding
        let text = isMeanwhile ? entry.footerMeanwhile ?? entry.footer : entry.footer
        return model.glyphs.isASCII ? text.replacing("…", with: "...") : text
    }

    private static func staysInSight(_ entry: KeyRow) -> Bool { entry.group == .basic }

    private static func isControl(_ entry: KeyRow) -> Bool { entry.group == .control }
}

extension KeyRow {
    fileprivate var goesBack: Bool { if case .back = command { true } else { false } }

    fileprivate var explainsWait: Bool { keys == [.character("w")] }

    /// Whether it steps by event or by fault.
    fileprivate var isCommonStep: Bool { keys == [.character(",")] || keys == [.character("[")] }
}
