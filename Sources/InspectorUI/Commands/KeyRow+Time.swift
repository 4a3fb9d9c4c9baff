import TerminalCanvas
import TraceStore

/// Keys that move through time. They are the same on every screen.
extension KeyRow {
    static let time: [KeyRow] =
        [
            KeyRow(
                .character(" "), shown: "Space", footer: "pause", meanwhile: "go on", help: "pause at this event, or continue live",
                group: .time, .shared { $0.pause() })
        ]
        + steps(by: .event, back: ",", forward: ".", footer: "step", help: "an event back, or forward")
        + steps(by: .fault, back: "[", forward: "]", footer: "fault", help: "to the fault before, or the next one")
        + steps(by: .hop, back: "{", forward: "}", footer: "hop", help: "to the hop before, or the next one")
        + steps(by: .remark, back: "\"", forward: "'", footer: "", help: "to the remark before, or the next one")
        + steps(by: .chain, back: "<", forward: ">", footer: "chain", help: "along the selected task's chain, event by event")
        + [KeyRow(.end, shown: "End", footer: "live", help: "live again; live, to the last row", group: .time, .latest)]

    private static func steps(by step: TimeStep, back: Character, forward: Character, footer: String, help: String) -> [KeyRow] {
        let shown = "\(back) \(forward)"
        return [
            KeyRow(.character(back), shown: shown, footer: footer, help: help, group: .time, .shared { $0.take(step, .back) }),
            KeyRow(.character(forward), shown: shown, group: .time, .shared { $0.take(step, .forward) }),
        ]
    }
}
