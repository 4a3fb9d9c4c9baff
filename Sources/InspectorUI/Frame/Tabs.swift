import TerminalCanvas

/// The second line: one tab per screen.
enum Tabs {
    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.tab))
        for (screen, title, columns) in columns(of: model.names, in: rect) where screen != model.screen {
            canvas.write(" \(title) ", at: Point(column: columns.lowerBound, row: rect.top), style: Style(.tab))
        }
        // Without colours, brackets mark the shown tab.
        if let (_, title, columns) = columns(of: model.names, in: rect).first(where: { $0.screen == model.screen }) {
            canvas.write("[\(title)]", at: Point(column: columns.lowerBound, row: rect.top), style: Style(.tabSelected))
        }
        drawWay(model, in: rect, on: &canvas)
    }

    /// The way to what is shown, in the room to the right of the tabs: `Overview › Warnings › Task detail`.
    private static func drawWay(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let way = model.layers.way
        let start = columns(of: model.names, in: rect).last?.columns.upperBound ?? rect.left
        let arrow = canvas.glyphs.isASCII ? " > " : " › "
        // The last steps count most.
        let texts = (0..<way.count).map { ($0 == 0 ? "" : "…\(arrow)") + way[$0...].joined(separator: arrow) }
        guard way.count > 1, let text = texts.dropLast().first(where: { CharacterWidth.of($0) < rect.right - start - 2 }) else { return }
        canvas.write(text, at: Point(column: start, row: rect.top), style: Style(.tab), limit: rect.right - start - 1, align: .right)
    }

    static func screen(at point: Point, of screens: [ScreenName], in rect: Rect) -> ScreenName? {
        guard rect.contains(point) else { return nil }
        return columns(of: screens, in: rect).first { $0.columns.contains(point.column) }?.screen
    }

    /// The places of the titles in the first form that fits: full titles with a blank on both sides, full titles with one blank between,
    /// short titles, or the first letters of each, three at most.
    private static func columns(of screens: [ScreenName], in rect: Rect) -> [(screen: ScreenName, title: String, columns: Range<Int>)] {
        let full = screens.reduce(0) { $0 + $1.title.count + 4 }
        let isShort = full - screens.count + 1 > rect.columns
        let isShortest = screens.reduce(0) { $0 + $1.shortTitle.count + 3 } + 1 > rect.columns
        let letters = (1...3).last { screens.count * ($0 + 3) <= rect.columns } ?? 1
        let shared = full > rect.columns ? 1 : 0
        var column = rect.left
        return screens.map { screen in
            let word = isShortest ? String(screen.shortTitle.prefix(letters)) : isShort ? screen.shortTitle : screen.title
            let title = "\(screen.shortcut ?? " ") \(word)"
            let start = column
            column += title.count + 2 - shared
            return (screen, title, start..<start + title.count + 2)
        }
    }
}
