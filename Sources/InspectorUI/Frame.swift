import TerminalCanvas

/// The whole picture: header, tabs, the screen that is picked, and the keys that work there. Drawing changes nothing but the canvas.
package enum Frame {
    package static func draw(_ model: Model, on canvas: inout Canvas) {
        guard model.isLargeEnough else {
            drawTooSmall(model, on: &canvas)
            return
        }
        let areas = model.areas
        Header.draw(model, in: areas.header, on: &canvas)
        Tabs.draw(model, in: areas.tabs, on: &canvas)
        canvas.clipped(to: areas.body) { canvas in
            if model.detail != nil {
                DetailScreen.draw(model, in: areas.body, on: &canvas)
            } else {
                switch model.screen {
                case .tasks: TasksScreen.draw(model, in: areas.body, on: &canvas)
                case .graph where model.graph.showsBoxes: BoxesScreen.draw(model, in: areas.body, on: &canvas)
                case .graph: GraphScreen.draw(model, in: areas.body, on: &canvas)
                case .executors: ExecutorsScreen.draw(model, in: areas.body, on: &canvas)
                case .timeline: TimelineScreen.draw(model, in: areas.body, on: &canvas)
                case .faults: FaultsScreen.draw(model, in: areas.body, on: &canvas)
                case .hops: HopsScreen.draw(model, in: areas.body, on: &canvas)
                case .warnings: WarningsScreen.draw(model, in: areas.body, on: &canvas)
                case .output: OutputScreen.draw(model, in: areas.body, on: &canvas)
                }
            }
        }
        if model.palette != nil { PaletteScreen.draw(model, on: &canvas) }
        if model.help != nil { HelpScreen.draw(model, on: &canvas) }
        Footer.draw(model, in: areas.footer, on: &canvas)
    }

    private static func drawTooSmall(_ model: Model, on canvas: inout Canvas) {
        let needed = Model.smallestSize
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
