import TerminalCanvas

/// The areas of a screen's list and of the panel for the selected row: side by side if there is room, otherwise one above the other.
struct ListAndPanel {
    let body: Rect
    let heading: Rect
    let list: Rect
    let panel: Rect
    private let rule: Rect
    private let isSideBySide: Bool

    /// - Parameter listRows: the number of rows of the heading and the list when they stand above the panel.
    init(_ body: Rect, listRows: Int) {
        self.body = body
        let first: Rect
        let rest: Rect
        isSideBySide = body.columns >= FrameAreas.wideColumns
        if isSideBySide {
            (first, rest) = body.split(left: min(84, body.columns * 2 / 5))
            (rule, panel) = rest.split(left: 1)
        } else {
            (first, rest) = body.split(top: max(4, listRows))
            (rule, panel) = rest.split(top: 1)
        }
        (heading, list) = first.split(top: 1)
    }

    /// The line between the list and the panel.
    func drawRule(on canvas: inout Canvas) {
        if isSideBySide {
            canvas.verticalLine(at: rule.origin, rows: rule.rows)
        } else {
            canvas.horizontalLine(at: rule.origin, columns: rule.columns)
        }
    }
}
