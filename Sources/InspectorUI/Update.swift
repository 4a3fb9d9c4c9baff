import TaskEvents
import TerminalCanvas
import TraceStore

/// Changes the model by what has happened, and says what is to be done about it. Nothing else changes a model.
package func update(_ model: inout Model, _ message: Message) -> [Effect] {
    switch message {
    case .key(let key):
        return model.press(key)
    case .mouse(let mouse):
        return model.point(mouse)
    case .paste(let text):
        if model.context == .filter { model.type(text) }
        return []
    case .resize(let size):
        model.size = size
        return []
    case .traced(let events):
        model.graph.note(events, in: model.store)
        return []
    case .ended:
        model.hasEnded = true
        return []
    case .frame(let time):
        model.arrange(at: time)
        return []
    case .terminate:
        return [.quit]
    }
}

extension Model {
    /// Derives the lists that a frame shows. New tasks are given their rows on every screen, or the graph would have a million to catch up
    /// with.
    fileprivate mutating func arrange(at time: UInt64) {
        graph.place(store)
        switch screen {
        case .tasks:
            if tasks.order.advance(store, sort: tasks.sort, filter: tasks.filter, at: time) { keepTasksSelection() }
        case .graph:
            graph.layOut(store, height: GraphScreen.listArea(areas.body).rows)
        case .executors:
            break
        }
        detail?.arrange(store, rails: &graph.rails, at: time)
    }

    // MARK: Keys

    fileprivate mutating func press(_ key: Key) -> [Effect] {
        guard let command = KeyTable.command(for: key, in: context) else {
            if context == .filter, case .character(let character) = key { type(String(character)) }
            return []
        }
        return perform(command)
    }

    mutating func perform(_ command: Command) -> [Effect] {
        switch command {
        case .quit:
            return [.quit]
        case .repaint:
            return [.repaint]
        case .help:
            help = help == nil ? HelpState() : nil
        case .nextScreen:
            go(to: screen.moved(by: 1))
        case .previousScreen:
            go(to: screen.moved(by: -1))
        case .screen(let name):
            go(to: name)
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last, .open, .back, .filter, .sortNext, .sortPrevious, .reverse,
            .follow, .accept, .clear, .erase:
            performHere(command)
        }
        return []
    }

    private mutating func performHere(_ command: Command) {
        switch context {
        case .tasks: performInTasks(command)
        case .filter: performInFilter(command)
        case .graph: performInGraph(command)
        case .executors: performInExecutors(command)
        case .detail: performInDetail(command)
        case .help: performInHelp(command)
        }
    }

    mutating func go(to name: ScreenName) {
        detail = nil
        tasks.isTyping = false
        screen = name
    }

    mutating func open(_ task: TaskID) {
        detail = DetailState(task: task)
    }

    private mutating func performInHelp(_ command: Command) {
        if command == .back {
            help = nil
        } else if let row = command.row(
            from: help?.scroll ?? 0, count: HelpScreen.scrollLimit(self) + 1, page: HelpScreen.area(self).rows - 2)
        {
            help?.scroll = row
        }
    }

    private mutating func performInDetail(_ command: Command) {
        guard let shown = detail else { return }
        switch command {
        case .back:
            detail = nil
        case .left, .right:
            let neighbour = store.task(shown.task).flatMap { command == .left ? $0.firstAntecedent : $0.successors.first { _ in true } }
            guard let neighbour, store.row(of: neighbour) != nil else { return }
            selection = neighbour
            open(neighbour)
            keepTasksSelection()
        case .up, .down, .pageUp, .pageDown, .first, .last:
            scrollDetail(command)
        case .open, .nextScreen, .previousScreen, .screen, .filter, .sortNext, .sortPrevious, .reverse, .follow, .help, .quit, .repaint,
            .accept, .clear, .erase:
            break
        }
    }

    private mutating func scrollDetail(_ command: Command) {
        let area = DetailScreen.listArea(areas.body)
        let limit = max(0, DetailScreen.lines(self, columns: area.columns).count - area.rows)
        if let row = command.row(from: min(detail?.scroll ?? 0, limit), count: limit + 1, page: area.rows) { detail?.scroll = row }
    }

    // MARK: Mouse

    fileprivate mutating func point(_ mouse: Mouse) -> [Effect] {
        switch mouse.action {
        case .wheelUp, .wheelDown:
            wheel(by: mouse.action == .wheelUp ? -3 : 3)
        case .press(.left):
            if help != nil {
                help = nil
            } else if let screen = Tabs.screen(at: mouse.point, in: areas.tabs) {
                go(to: screen)
            } else if areas.body.contains(mouse.point) {
                click(mouse.point)
            }
        case .press, .release:
            break
        }
        return []
    }

    private mutating func wheel(by rows: Int) {
        let step: Command = rows < 0 ? .up : .down
        switch context {
        case .help: for _ in 0..<abs(rows) { performInHelp(step) }
        case .detail: for _ in 0..<abs(rows) { scrollDetail(step) }
        case .tasks, .filter: scrollTasks(by: rows)
        case .graph: graph.scroll(to: graph.top + rows, height: GraphScreen.listArea(areas.body).rows)
        case .executors: scrollExecutors(by: rows)
        }
    }

    private mutating func click(_ point: Point) {
        switch context {
        case .tasks, .filter: clickTasks(point)
        case .graph: clickGraph(point)
        case .executors: clickExecutors(point)
        case .detail: clickDetail(point)
        case .help: break
        }
    }

    private mutating func clickDetail(_ point: Point) {
        let area = DetailScreen.listArea(areas.body)
        let lines = DetailScreen.lines(self, columns: area.columns)
        let scroll = min(detail?.scroll ?? 0, max(0, lines.count - area.rows))
        let line = point.row - area.top + scroll
        guard area.contains(point), lines.indices.contains(line), let task = lines[line].task else { return }
        selection = task
        open(task)
        keepTasksSelection()
    }
}
