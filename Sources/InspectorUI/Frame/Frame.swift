import TerminalCanvas

/// The whole picture: the header, the tabs, the shown screen, and its keys. Drawing changes only the canvas.
package enum Frame {
    package static func draw(_ model: Model, on canvas: inout Canvas) {
        guard FrameAreas.fit(model.size) else {
            drawTooSmall(model, on: &canvas)
            return
        }
        let areas = model.areas
        Header.draw(model.shared, in: areas.header, on: &canvas)
        Tabs.draw(model, in: areas.tabs, on: &canvas)
        let visible = model.layers.visible
        canvas.clipped(to: areas.body) { canvas in
            for layer in visible where type(of: layer).extent != .line {
                layer.draw(model.shared, on: &canvas)
                if type(of: layer).name == model.screen { drawBeside(model, on: &canvas) }
            }
            if let before = model.stepBase {
                let beside = model.layers.besideAreas(model.shared)
                // A row of the list can move while those of the detail stay.
                for part in beside.map({ [$0.list, $0.detail] }) ?? [areas.body] {
                    canvas.highlight(changesFrom: before, in: part, .changed)
                }
            }
        }
        for layer in visible where type(of: layer).extent == .line { layer.draw(model.shared, on: &canvas) }
        SceneLines.draw(model.shared, in: areas.scene, on: &canvas)
        EventStrip.draw(model.shared, in: areas.strip, on: &canvas)
        Footer.draw(model, in: areas.footer, on: &canvas)
    }

    private static func drawBeside(_ model: Model, on canvas: inout Canvas) {
        guard let areas = model.layers.besideAreas(model.shared) else { return }
        if areas.rule.columns > 1 {
            canvas.horizontalLine(at: areas.rule.origin, columns: areas.rule.columns)
        } else {
            canvas.verticalLine(at: areas.rule.origin, rows: areas.rule.rows)
        }
        canvas.clipped(to: areas.detail) { canvas in
            if let detail = model.layers.beside { return detail.draw(model.shared, on: &canvas) }
            EmptyNote.draw(model.layers.screen.textWithoutDetail, in: areas.detail, on: &canvas)
        }
    }

    private static func drawTooSmall(_ model: Model, on canvas: inout Canvas) {
        let needed = FrameAreas.smallestSize
        let lines = [
            "Hopscope needs \(needed.columns)x\(needed.rows).",
            "This terminal has \(model.size.columns)x\(model.size.rows).",
            "Make it larger, or press q.",
        ]
        let first = max(0, (model.size.rows - lines.count) / 2)
        for (index, line) in lines.enumerated() {
            canvas.write(line, at: Point(column: 0, row: first + index), style: Style(index == 0 ? .title : .text), align: .center)
        }
    }
}
