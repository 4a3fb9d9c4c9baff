import TerminalCanvas

/// The second line: a tab for every screen.
enum Tabs {
    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.tab))
        for (screen, place) in places(in: rect) {
            let isPicked = screen == model.screen
            canvas.write(
                " \(screen.digit) \(screen.title) ", at: Point(column: place.lowerBound, row: rect.top),
                style: Style(isPicked ? .tabSelected : .tab))
        }
        // Without colours the picked tab is told by its brackets.
        if let place = places(in: rect).first(where: { $0.screen == model.screen })?.place {
            canvas.write("[", at: Point(column: place.lowerBound, row: rect.top), style: Style(.tabSelected))
            canvas.write("]", at: Point(column: place.upperBound - 1, row: rect.top), style: Style(.tabSelected))
        }
    }

    static func screen(at point: Point, in rect: Rect) -> ScreenName? {
        guard rect.contains(point) else { return nil }
        return places(in: rect).first { $0.place.contains(point.column) }?.screen
    }

    private static func places(in rect: Rect) -> [(screen: ScreenName, place: Range<Int>)] {
        var column = rect.left
        return ScreenName.allCases.map { screen in
            let start = column
            column += screen.title.count + 4
            return (screen, start..<column)
        }
    }
}
