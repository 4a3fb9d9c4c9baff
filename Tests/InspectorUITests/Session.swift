import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
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
        model = Model(store: trace.store(), program: program, size: Size(columns: columns, rows: rows), glyphs: glyphs)
        send(.traced(trace.events))
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
        model.store.apply(events)
        send(.traced(Array(events)))
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
