import TerminalCanvas

/// The mouse.
extension Model {
    /// Passes a press, a drag, a release or a turn of the wheel to the part below it. Returns the effects.
    mutating func point(_ mouse: Mouse) -> [Effect] {
        isTouched = true
        switch mouse.action {
        case .wheelUp: scroll(by: -3, at: mouse.point)
        case .wheelDown: scroll(by: 3, at: mouse.point)
        case .press(.left): return click(mouse.point)
        case .drag: onTop { $0.drag(to: mouse.point, &$1) }
        case .release(.left): onTop { $0.letGo(at: mouse.point, &$1) }
        case .press, .release: break
        }
        return []
    }

    /// The wheel scrolls the part below the mouse.
    private mutating func scroll(by rows: Int, at point: Point) {
        if overlays.isEmpty || overlays.count == 1 && search != nil, besideAreas?.detail.contains(point) == true {
            beside?.scroll(by: rows, &shared)
        } else if search != nil, overlays.count == 1 {
            screens[shown].scroll(by: rows, &shared)
        } else {
            onTop { $0.scroll(by: rows, &$1) }
        }
    }

    private mutating func click(_ point: Point) -> [Effect] {
        if overlays.last is PaletteScreen == false, let row = Footer.row(at: point, of: self, in: areas.footer) {
            return row.keys.first.map { pressAndTell($0) } ?? []
        }
        if let palette = overlays.last as? PaletteScreen {
            guard palette.list.area.contains(point) else {
                close(PaletteScreen.self)
                return []
            }
            _ = onTop { $0.click(point, &$1) }
            return choose()
        }
        if search != nil {
            guard !areas.search.contains(point) else { return [] }
            close(SearchScreen.self)
            layOut()
        }
        if overlays.last is HelpScreen {
            close(HelpScreen.self)
        } else if let name = Tabs.screen(at: point, of: names, in: areas.tabs) {
            go(to: name)
        } else if overlays.isEmpty, besideAreas?.detail.contains(point) == true {
            return beside?.click(point, &shared) ?? []
        } else if areas.body.contains(point) {
            return onTop { $0.click(point, &$1) }
        }
        return []
    }
}
