import TerminalCanvas

/// Keys that go through time, the same on every screen.
extension KeyTable {
    static let time: [Binding] =
        [
            Binding(
                .character(" "), does: .time(.pause), shown: "Space", footer: "pause", help: "pause at this event, and go on live",
                in: Context.screens)
        ]
        + steps(by: .event, back: ",", forward: ".", footer: "step", help: "an event back, or forward")
        + steps(by: .fault, back: "[", forward: "]", footer: "fault", help: "to the fault before, or the next one")
        + steps(by: .hop, back: "{", forward: "}", footer: "hop", help: "to the hop before, or the next one")
        + steps(
            by: .chain, back: "<", forward: ">", footer: "chain", help: "along the selected task's chain, event by event")
        + [
            Binding(
                .end, does: .time(.latest), shown: "End", footer: "live", help: "live again; live, to the last row", in: Context.screens)
        ]

    private static func steps(by step: TimeStep, back: Character, forward: Character, footer: String, help: String) -> [Binding] {
        let shown = "\(back) \(forward)"
        return [
            Binding(.character(back), does: .time(.back(step)), shown: shown, footer: footer, help: help, in: Context.screens),
            Binding(.character(forward), does: .time(.forward(step)), shown: shown, in: Context.screens),
        ]
    }
}
