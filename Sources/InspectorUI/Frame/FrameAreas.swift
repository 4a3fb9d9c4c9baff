import TerminalCanvas

/// The areas of each part of a frame.
struct FrameAreas {
    let header: Rect
    let tabs: Rect
    let body: Rect
    /// The line of a search. Empty without one.
    let search: Rect
    /// The lines that tell the scene of a demo. Empty otherwise.
    let scene: Rect
    let strip: Rect
    let footer: Rect

    /// The fewest columns at which the detail of the selection stands beside a list.
    static let wideColumns = 140

    /// The body in two parts: for the list, and for the detail beside it. Nil on a narrower terminal.
    var beside: (list: Rect, rule: Rect, detail: Rect)? {
        guard body.columns >= Self.wideColumns else { return nil }
        let (list, rest) = body.split(left: Self.listColumns(of: body))
        let (rule, detail) = rest.split(left: 1)
        return (list, rule, detail)
    }

    /// The body in two parts, with the detail below `rows` rows. Nil on a narrower or lower terminal.
    func below(_ rows: Int) -> (list: Rect, rule: Rect, detail: Rect)? {
        guard body.columns >= Self.wideColumns, body.rows > rows + Self.leastRowsBelow else { return nil }
        let (list, rest) = body.split(top: rows)
        let (rule, detail) = rest.split(top: 1)
        return (list, rule, detail)
    }

    /// The fewest rows of a detail below a screen.
    private static let leastRowsBelow = 10

    /// The columns of a list that has a detail beside it.
    static func listColumns(of body: Rect) -> Int { max(84, body.columns * 11 / 20) }

    /// The smallest size at which every screen is usable.
    static let smallestSize = Size(columns: 60, rows: 16)

    static func fit(_ size: Size) -> Bool { size.columns >= smallestSize.columns && size.rows >= smallestSize.rows }

    /// - Parameters:
    ///   - stripRows: the number of rows of the event strip.
    ///   - sceneRows: the number of rows that say what there is to see.
    ///   - searchRows: the number of rows of the search line.
    init(size: Size, stripRows: Int = 1, sceneRows: Int = 0, searchRows: Int = 0) {
        var rest = Rect(column: 0, row: 0, columns: size.columns, rows: size.rows)
        (header, rest) = rest.split(top: 1)
        (tabs, rest) = rest.split(top: 1)
        (footer, rest) = rest.split(bottom: 1)
        (strip, rest) = rest.split(bottom: stripRows)
        (scene, rest) = rest.split(bottom: sceneRows)
        (search, body) = rest.split(bottom: searchRows)
    }
}
