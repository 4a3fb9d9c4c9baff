import TerminalCanvas

/// The mouse.
extension Model {
    /// Passes a press, a drag, a release or a turn of the wheel to the part below it. Returns the effects.
    mutating func point(_ mouse: Mouse, _ freshness: Freshness) -> [Effect] {
        catchUp(freshness)
        isTouched = true
        switch mouse.action {
        // The wheel scrolls the part below the mouse.
        case .wheelUp: layers.scroll(by: -3, at: mouse.point, &shared)
        case .wheelDown: layers.scroll(by: 3, at: mouse.point, &shared)
        case .press(.left): return click(mouse.point)
        case .drag: layers.top.drag(to: mouse.point, &shared)
        case .release(.left): return take(layers.top.release(&shared)).effects
        case .press, .release: break
        }
        return []
    }

    private mutating func click(_ point: Point) -> [Effect] {
        if let row = Footer.row(at: point, of: self, in: areas.footer) { return row.keys.first.map { press($0, .framed) } ?? [] }
        if layers.isModal {
            let isLine = type(of: layers.top).extent == .line
            let answer = layers.top.click(point, &shared)
            let effects = take(answer).effects
            // A click that closes a line counts for the layers below.
            guard isLine, case .close = answer else { return effects }
        }
        if let name = Tabs.screen(at: point, of: names, in: areas.tabs) { return take(layers.go(to: name, &shared)).effects }
        guard areas.body.contains(point) else { return [] }
        return take(layers.click(point, &shared)).effects
    }
}
