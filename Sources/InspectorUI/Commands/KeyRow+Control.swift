import TaskEvents
import TerminalCanvas
import TraceStore
import TraceTransport

/// Keys that send a command to the inspected program. They are the same on every screen.
extension KeyRow {
    /// The text in the palette's input line before a query for a job.
    static let runTo = "run to "

    static let control: [KeyRow] = [
        KeyRow(
            .character("i"), shown: "i I", footer: "step", help: "let one held job run, or one of the selected chain", group: .control,
            .shared { _ in [.control(.step(.all))] }),
        KeyRow(.character("I"), shown: "i I", group: .control, .shared { $0.askOfSelection { .stepInto(chain: $0.chain) } }),
        KeyRow(
            .character("b"), shown: "b", footer: "hold", meanwhile: "resume", help: "hold every executor's jobs, or release them",
            group: .control, .shared { [.control($0.isHolding ? .open(.all) : .hold(.all))] }),
        KeyRow(
            .character("e"), shown: "e E", footer: "to fault/main", help: "run to the next fault, or the next hop onto main",
            group: .control, .shared { _ in [.control(.runToFault)] }),
        KeyRow(.character("E"), shown: "e E", group: .control, .shared { _ in [.control(.runToMainHop)] }),
        KeyRow(
            .character("B"), shown: "B", footer: "to…", help: "run to the next job that matches a query (run to on:main name~save)",
            group: .control, .overlay(PaletteScreen.name, text: runTo)),
        KeyRow(
            .character("x"), shown: "x X", footer: "cancel/fail", help: "cancel the selected task, or have it fail", group: .control,
            .shared { $0.endSelection { .cancel($0.id) } }),
        KeyRow(
            .character("X"), shown: "x X", group: .control,
            .shared { $0.endSelection { .fault($0.id, message: "injected from the inspector") } }),
    ]
}
