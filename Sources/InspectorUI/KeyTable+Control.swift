import TerminalCanvas

/// Keys that ask something of the inspected program, the same on every screen.
extension KeyTable {
    static let control: [Binding] = [
        Binding(
            .character("i"), does: .control(.step), shown: "i I", footer: "step",
            help: "let one held job through, or the selected chain's", in: Context.screens),
        Binding(.character("I"), does: .control(.stepInto), shown: "i I", in: Context.screens),
        Binding(
            .character("b"), does: .control(.hold), shown: "b", footer: "hold", help: "hold every executor's jobs, and let them go again",
            in: Context.screens),
        Binding(
            .character("e"), does: .control(.runToFault), shown: "e E", footer: "to fault/main",
            help: "run to the next fault, or the next hop onto main", in: Context.screens),
        Binding(.character("E"), does: .control(.runToMainHop), shown: "e E", in: Context.screens),
        Binding(
            .character("B"), does: .control(.askForJob), shown: "B", footer: "to…",
            help: "run to a job that fits a query (run to on:main name~save)",
            in: Context.screens),
        Binding(
            .character("x"), does: .control(.cancel), shown: "x X", footer: "cancel/fail",
            help: "cancel the selected task, or have it fail",
            in: Context.screens),
        Binding(.character("X"), does: .control(.fault), shown: "x X", in: Context.screens),
        Binding(
            .character("o"), does: .control(.holdExecutor), shown: "o", help: "hold the selected executor's jobs, and let them go again",
            in: [.executors]),
    ]
}
