import TaskEvents
import TerminalCanvas
import TraceAnalysis
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
        if model.context == .palette { model.typeInPalette(text) }
        if model.context == .search { model.typeInSearch(text) }
        return model.context == .console ? [.type(Array(text.utf8))] : []
    case .resize(let size):
        model.size = size
        return model.output == nil ? [] : [.resizeOutput(model.outputSize)]
    case .printed(let bytes, let time):
        model.take(printed: bytes, at: time)
        return []
    case .programEnded:
        model.endOutput()
        return []
    case .processes(let processes):
        return model.take(processes)
    case .traced(let events):
        model.warnings.engine.follow(model.history.latest)
        // What is shown stays while the cursor does.
        if model.history.isAtLatest { model.note(events) }
        return []
    case .named:
        model.warnings.restart()
        model.tasks.order.restart()
        return []
    case .look(let number):
        model.look(at: number)
        return []
    case .answered(let control, let answer):
        model.take(answer, to: control)
        return []
    case .ended:
        model.hasEnded = true
        // What has not happened never will, which the rules have to say.
        model.warnings.restart()
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
        lookForSoughtJob()
        let store = store
        graph.place(store)
        arrangeWarnings(at: time)
        switch screen {
        case .tasks:
            arrangeTasks(at: time)
        case .graph:
            if graph.showsBoxes { arrangeBoxes(at: time) }
            graph.layOut(store, height: GraphScreen.listArea(areas.body).rows, selection: selection)
        case .executors:
            break
        case .timeline:
            arrangeTimeline(at: time)
        case .faults:
            faults.arrange(store, height: FaultsScreen.areas(areas.body).frame.list.rows, at: time)
        case .hops:
            arrangeHops(at: time)
        case .warnings:
            break
        case .output:
            arrangeOutput()
        }
        detail?.arrange(store, rails: &graph.rails, at: time)
    }

    // MARK: Keys

    fileprivate mutating func press(_ key: Key) -> [Effect] {
        notice = nil
        isTouched = true
        guard let command = KeyTable.command(for: key, in: context) else {
            if context == .filter, case .character(let character) = key { type(String(character)) }
            if context == .palette, case .character(let character) = key { typeInPalette(String(character)) }
            if context == .search, case .character(let character) = key { typeInSearch(String(character)) }
            return context == .console ? [.type(key.bytes)] : []
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
            go(to: screen.moved(by: 1, in: screens))
        case .previousScreen:
            go(to: screen.moved(by: -1, in: screens))
        case .screen(let name):
            go(to: name)
        case .time(let command):
            perform(command)
        case .control(let command):
            return perform(command)
        case .move(let movement):
            move(movement)
        case .open:
            openHere()
        case .back:
            goBack()
        case .palette(let command):
            return perform(command)
        case .theme(let theme):
            return use(theme)
        case .column(let column):
            return toggle(column)
        case .copy:
            return copySelection()
        case .tasks(let command):
            perform(command)
            if case .filter = command { return [] }
            return [.save(settings)]
        case .filter(let command):
            perform(command)
        case .graph(let command):
            perform(command)
        case .timeline(let command):
            perform(command)
        case .faults(let command):
            perform(command)
        case .hops(let command):
            perform(command)
        case .warnings(let command):
            perform(command)
        case .output(let command):
            perform(command)
        case .process(let pid):
            return processes.first { $0.pid == pid }.map { [.watch($0)] } ?? []
        }
        return []
    }

    mutating func move(_ movement: Movement) {
        switch context {
        case .tasks: moveInTasks(movement)
        case .graph: moveInGraph(movement)
        case .boxes: moveInBoxes(movement)
        case .executors: moveInExecutors(movement)
        case .timeline: moveInTimeline(movement)
        case .faults: moveInFaults(movement)
        case .hops: moveInHops(movement)
        case .warnings: moveInWarnings(movement)
        case .output: moveInOutput(movement)
        case .detail: moveInDetail(movement)
        case .help: moveInHelp(movement)
        case .palette: moveInPalette(movement)
        case .filter, .search, .console: break
        }
    }

    private mutating func openHere() {
        switch context {
        case .tasks: openInTasks()
        case .graph, .boxes: openInGraph()
        case .executors: openInExecutors()
        case .timeline: openInTimeline()
        case .faults: openInFaults()
        case .hops: openInHops()
        case .warnings: openInWarnings()
        case .output: openInOutput()
        case .detail, .help, .filter, .palette, .search, .console: break
        }
    }

    private mutating func goBack() {
        switch context {
        case .tasks: leaveTasks()
        case .graph, .boxes: leaveGraph()
        case .executors: executors.selection = nil
        case .timeline: leaveTimeline()
        case .faults: leaveFaults()
        case .hops: leaveHops()
        case .warnings: leaveWarnings()
        case .output: leaveOutput()
        case .detail: detail = nil
        case .help: help = nil
        case .palette: palette = nil
        case .filter, .search, .console: break
        }
    }

    mutating func go(to name: ScreenName) {
        guard screens.contains(name) else {
            notice = "There is no output here: 'hopscope run' shows what a program prints."
            return
        }
        detail = nil
        tasks.isTyping = false
        output?.isTyping = false
        output?.isSearching = false
        screen = name
        showSelection()
    }

    /// Selects a task for every screen: the cursor of each follows.
    mutating func follow(_ task: TaskID) {
        selection = task
        if let executor = store.task(task)?.executor, executor != .none {
            executors.selection = ExecutorLine(executor: executor, line: 0)
        }
        if detail != nil { open(task) }
        keepTasksSelection()
        showSelection()
    }

    /// Brings the selected task into sight on the screen that is shown.
    private mutating func showSelection() {
        switch screen {
        case .tasks: showSelectedTask()
        case .graph: showSelectedRow()
        case .executors: showSelectedExecutor()
        case .timeline: showSelectedJob()
        case .faults: showSelectedFault()
        case .hops, .warnings, .output: break
        }
    }

    mutating func open(_ task: TaskID) {
        detail = DetailState(task: task)
    }

    // MARK: Mouse

    fileprivate mutating func point(_ mouse: Mouse) -> [Effect] {
        isTouched = true
        switch mouse.action {
        case .wheelUp, .wheelDown:
            wheel(by: mouse.action == .wheelUp ? -3 : 3)
        case .press(.left):
            if palette != nil {
                return clickPalette(mouse.point)
            } else if help != nil {
                help = nil
            } else if let screen = Tabs.screen(at: mouse.point, of: screens, in: areas.tabs) {
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
        let step: Movement = rows < 0 ? .up : .down
        switch context {
        case .help: for _ in 0..<abs(rows) { moveInHelp(step) }
        case .palette: moveInPalette(step)
        case .detail: for _ in 0..<abs(rows) { scrollDetail(step) }
        case .tasks, .filter: scrollTasks(by: rows)
        case .boxes: graph.boxes.pan(columns: 0, rows: rows, size: BoxesScreen.pictureArea(areas.body).size)
        case .graph: graph.scroll(by: rows, height: GraphScreen.listArea(areas.body).rows, store)
        case .executors: scrollExecutors(by: rows)
        case .timeline: scrollTimeline(by: rows)
        case .faults: scrollFaults(by: rows)
        case .hops: scrollHops(by: rows)
        case .warnings: scrollWarnings(by: rows)
        case .output, .search, .console: scrollOutput(by: rows)
        }
    }

    private mutating func click(_ point: Point) {
        switch context {
        case .tasks, .filter: clickTasks(point)
        case .graph: clickGraph(point)
        case .boxes: clickBoxes(point)
        case .executors: clickExecutors(point)
        case .timeline: clickTimeline(point)
        case .faults: clickFaults(point)
        case .hops: clickHops(point)
        case .warnings: clickWarnings(point)
        case .output, .search, .console: break
        case .detail: clickDetail(point)
        case .help, .palette: break
        }
    }
}
