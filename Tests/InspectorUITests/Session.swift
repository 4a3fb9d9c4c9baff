import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceFile
import TraceStore

@testable import InspectorUI

/// An inspector without terminal or threads: a model, and the messages that a test sends it.
struct Session {
    private(set) var model: Model
    private(set) var effects: [Effect] = []
    private var time: UInt64 = 0

    init(
        _ trace: TraceBuilder = TraceBuilder(), columns: Int = 80, rows: Int = 24, glyphs: GlyphSet = .unicode,
        program: String = "kinesis-save-fails"
    ) {
        let history = TraceHistory()
        history.latest.entries = trace.entries
        history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
        self.init(history, columns: columns, rows: rows, glyphs: glyphs, program: program)
    }

    /// An inspector that is opened on what has come already.
    init(
        _ history: TraceHistory, columns: Int = 80, rows: Int = 24, glyphs: GlyphSet = .unicode, program: String = "kinesis-save-fails"
    ) {
        model = Model(history: history, program: program, size: Size(columns: columns, rows: rows), glyphs: glyphs)
        let known = (1...max(1, history.eventCount)).compactMap { history.event(number: $0)?.event }
        send(.traced(known))
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

    /// Goes through the screens, so that each has seen the state.
    mutating func visitAll() {
        let screen = model.screen
        for name in ScreenName.allCases { press(.character(Character("\(name.digit)"))) }
        press(.character(Character("\(screen.digit)")))
    }

    /// As if the inspector had started the program, and it had printed this, each piece at its moment of the trace.
    mutating func start(printing pieces: [(text: String, time: UInt64)] = []) {
        model.output = OutputState()
        for piece in pieces { send(.printed(Array(piece.text.utf8), at: piece.time)) }
        frame()
    }

    /// As if a process of the program were shown.
    mutating func shown(_ process: Int32) {
        model.shownProcess = process
    }

    mutating func type(_ text: String) {
        for character in text { press(.character(character)) }
    }

    mutating func click(_ column: Int, _ row: Int) {
        send(.mouse(Mouse(.press(.left), at: Point(column: column, row: row))))
        frame()
    }

    mutating func wheel(_ action: Mouse.Action) {
        send(.mouse(Mouse(action, at: Point(column: 5, row: 5))))
        frame()
    }

    /// More events arrive.
    mutating func apply(_ events: ArraySlice<TaskEvent>) {
        model.history.apply(TraceBatch(events: Array(events), lanes: Array(repeating: 0, count: events.count)))
        send(.traced(Array(events)))
        frame()
    }

    /// Selects a task of the list by a click.
    mutating func select(_ task: TaskID) {
        guard let row = model.tasks.rows.row(of: task) else { return }
        while row >= model.tasks.window.top + listHeight { press(.pageDown) }
        click(20, 3 + row - model.tasks.window.top)
    }

    /// Lines of the task list.
    var listHeight: Int { TasksScreen.areas(model.areas.body, showsFilter: model.tasks.showsFilter).list.rows }

    /// Where in the task list's lines the selected task stands; outside of the screen's too.
    var lineOfSelection: Int? { model.tasks.selectedRow.map { $0 - model.tasks.window.top } }

    /// The settings that the user had.
    mutating func settle(_ settings: InspectorSettings) {
        model.settings = settings
        frame()
    }

    /// A frame, a second after the one before, so that every list is brought up to date.
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
        model.selection.flatMap { model.store.task($0)?.label.name }
    }
}
