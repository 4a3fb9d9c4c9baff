import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// An inspector without terminal or threads: a model, and the messages that a test sends to it.
struct Session {
    private(set) var model: Model
    private(set) var effects: [Effect] = []
    private var time: UInt64 = 0

    /// The time of the next frame.
    var now: UInt64 { time }

    /// Lets time pass without a frame.
    mutating func pass(seconds: UInt64) {
        time += seconds * 1_000_000_000
    }

    init(
        _ trace: TraceBuilder = TraceBuilder(), columns: Int = 80, rows: Int = 24, glyphs: GlyphSet = .unicode,
        program: String = "kinesis-save-fails", screen: ScreenName = TasksScreen.name, list: ScreenList = .standard,
        settings: WarningSettings = WarningSettings()
    ) {
        let history = TraceHistory()
        history.latest.entries = trace.entries
        history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
        self.init(history, columns: columns, rows: rows, glyphs: glyphs, program: program, screen: screen, list: list, settings: settings)
    }

    /// An inspector that opens on events that have already arrived.
    init(
        _ history: TraceHistory, columns: Int = 80, rows: Int = 24, glyphs: GlyphSet = .unicode, program: String = "kinesis-save-fails",
        screen: ScreenName = TasksScreen.name, list: ScreenList = .standard, settings: WarningSettings = WarningSettings()
    ) {
        model = Model(
            history: history, program: program, size: Size(columns: columns, rows: rows), glyphs: glyphs, settings: settings, list: list)
        // Most tests are about the list of tasks, which is not the first screen.
        model.show(screen)
        send(.traced)
        frame()
    }

    mutating func send(_ message: Message) {
        effects = update(&model, message)
    }

    mutating func press(_ keys: Key...) {
        for key in keys {
            send(.key(key))
            let pressed = effects
            frame()
            effects = pressed
        }
    }

    /// Shows each screen once, so that each has seen the state.
    mutating func visitAll() {
        let screen = model.screen
        for name in ScreenList.names { press(name.key) }
        press(screen.key)
    }

    /// Acts as if the inspector had started the program and the program had printed these pieces at these times of the trace.
    mutating func start(printing pieces: [(text: String, time: UInt64)] = []) {
        model.shared.program.isHosting = true
        model.output = OutputScreen()
        for piece in pieces { send(.printed(Array(piece.text.utf8), at: piece.time)) }
        frame()
    }

    /// As if the terminal had colours.
    mutating func useColours() {
        model.useColours(true)
        frame()
    }

    /// As if the program's source were on this machine.
    mutating func read(from sources: any SourceReader) {
        model.shared.sources = sources
        frame()
    }

    /// As if the program could be run in other orders than the shown one, which ends like this.
    mutating func explore(_ ending: String) {
        model.shared.program.orderEnding = ending
        frame()
    }

    /// As if the program took no commands.
    mutating func refuseControls(_ reason: String) {
        model.shared.control.refusal = reason
    }

    mutating func clearNotice() {
        model.shared.notice = nil
    }

    /// As if a screen had selected a task for all.
    mutating func follow(_ task: TaskID) {
        model.shared.follow(task)
        frame()
    }

    /// As if a process of the program were shown.
    mutating func shown(_ process: Int32) {
        model.shared.program.shownProcess = process
    }

    mutating func type(_ text: String) {
        for character in text { press(.character(character)) }
    }

    mutating func click(_ column: Int, _ row: Int) {
        send(.mouse(Mouse(.press(.left), at: Point(column: column, row: row))))
        let pressed = effects
        send(.mouse(Mouse(.release(.left), at: Point(column: column, row: row))))
        frame()
        effects = pressed
    }

    /// Presses the left button at one point and releases it at another one.
    mutating func drag(from start: Point, to end: Point) {
        send(.mouse(Mouse(.press(.left), at: start)))
        send(.mouse(Mouse(.drag, at: end)))
        frame()
        send(.mouse(Mouse(.release(.left), at: end)))
        frame()
    }

    mutating func wheel(_ action: Mouse.Action, at point: Point = Point(column: 5, row: 5)) {
        send(.mouse(Mouse(action, at: point)))
        frame()
    }

    /// Delivers more events.
    mutating func apply(_ events: ArraySlice<TaskEvent>) {
        model.history.apply(TraceBatch(events: Array(events), lanes: Array(repeating: 0, count: events.count)))
        send(.traced)
        frame()
    }

    /// Selects a task of the list with a click.
    mutating func select(_ task: TaskID) {
        guard let row = model.tasks.rows.row(of: task) else { return }
        while row >= model.tasks.pane.top + listHeight { press(.pageDown) }
        click(20, 3 + row - model.tasks.pane.top)
    }

    /// The number of lines of the task list.
    var listHeight: Int { model.tasks.pane.height }

    /// The selected task's line in the task list, also if that line is off the screen.
    var lineOfSelection: Int? { model.tasks.selectedRow.map { $0 - model.tasks.pane.top } }

    /// Applies settings as if the user had saved them earlier.
    mutating func settle(_ settings: InspectorSettings) {
        model.settings = settings
        frame()
    }

    /// Draws a frame one second after the previous frame, so that every list is up to date.
    mutating func frame() {
        repeat {
            time += 1_000_000_000
            send(.frame(at: time))
        } while model.isArranging
    }

    var canvas: Canvas {
        var canvas = Canvas(size: model.size, glyphs: model.glyphs)
        Frame.draw(model, on: &canvas)
        return canvas
    }

    var lines: [String] { canvas.lines() }

    func selectedName() -> String? {
        model.shared.selection.flatMap { model.store.task($0)?.label.name }
    }
}

extension ScreenName {
    /// The key that selects this screen.
    var key: Key { shortcut.map(Key.character) ?? .escape }
}

/// The screens by their types.
extension Model {
    subscript<S: Layer>(_: S.Type) -> S {
        get {
            guard let screen = layers.screens.lazy.compactMap({ $0 as? S }).first else { preconditionFailure("There is no \(S.self).") }
            return screen
        }
        set {
            for index in layers.screens.indices where layers.screens[index] is S { layers.screens[index] = newValue }
        }
    }

    /// The screen with this name.
    subscript(_ name: ScreenName) -> any Layer {
        layers.screens[layers.screens.firstIndex { type(of: $0).name == name } ?? 0]
    }

    var overview: OverviewScreen { self[OverviewScreen.self] }
    var tasks: TasksScreen { self[TasksScreen.self] }
    var graph: GraphScreen { self[GraphScreen.self] }
    var executors: ExecutorsScreen { self[ExecutorsScreen.self] }
    var swimlanes: TimelineScreen { self[TimelineScreen.self] }
    var faults: FaultsScreen { self[FaultsScreen.self] }
    var hops: HopsScreen { self[HopsScreen.self] }
    var warnings: WarningsScreen { self[WarningsScreen.self] }
    var events: EventsScreen { self[EventsScreen.self] }
    var output: OutputScreen {
        get { self[OutputScreen.self] }
        set { self[OutputScreen.self] = newValue }
    }

    var detail: DetailScreen? { layers.overlays.compactMap { $0 as? DetailScreen }.last }
    var help: HelpScreen? { layers.overlays.lazy.compactMap { $0 as? HelpScreen }.first }
    var palette: PaletteScreen? { layers.overlays.lazy.compactMap { $0 as? PaletteScreen }.first }
    var search: SearchScreen? { layers.overlays.last as? SearchScreen }
    var beside: DetailScreen? { layers.beside }
}
