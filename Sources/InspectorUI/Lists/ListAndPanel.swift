import TerminalCanvas

/// The areas of a screen's list and of the panel for the selected row: side by side if there is room, otherwise one above the other.
struct ListAndPanel {
    let body: Rect
    let heading: Rect
    let list: Rect
    let panel: Rect
    private let rule: Rect
    let isSideBySide: Bool

    /// - Parameters:
    ///   - listRows: the number of rows of the heading and the list when they stand above the panel.
    ///   - panelColumns: the most columns of a panel beside the list. By default, the list gets at most 84, and the panel the rest.
    init(_ body: Rect, listRows: Int, panelColumns: Int? = nil) {
        self.body = body
        let first: Rect
        let rest: Rect
        isSideBySide = body.columns >= FrameAreas.wideColumns
        if isSideBySide {
            let share = body.columns * 2 / 5
            (first, rest) = body.split(left: panelColumns.map { max(share, body.columns - 1 - $0) } ?? min(84, share))
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
