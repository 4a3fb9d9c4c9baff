import TerminalCanvas

extension OutputScreen {
    static let reading = KeyMode("Output", readingRows(footer: "type to it"))
    /// The footer does not offer to type to a program that reads nothing. The key says why it does nothing.
    static let readingOnly = KeyMode("Output without input", readingRows(footer: ""))

    private static func readingRows(footer: String) -> [KeyRow] {
        KeyRow.scrolling + KeyRow.sideways("pan", "move the view sideways (or h l)") + [
            .enter(footer, "keys go to the program, until Ctrl-]"),
            KeyRow(.character("/"), shown: "/", footer: "search", help: "look for a text", command { screen, _ in screen.beginSearch() }),
            KeyRow(
                .character("n"), shown: "n N", footer: "next", help: "the next line with it, or the one before",
                command(changing: { output, _ in output.seen }) { $0.find(forward: true, $1) }),
            KeyRow(.character("N"), shown: "n N", command(changing: { output, _ in output.seen }) { $0.find(forward: false, $1) }),
            KeyRow(
                .character("f"), shown: "f", footer: "follow", help: "follow what is printed (or G)",
                command(changing: { output, _ in output.seen }) { screen, _ in screen.follow() }),
            .escape("", "drop the search, then follow"),
        ]
    }

    static let searching = KeyMode(
        "Searching in Output", typing: .text,
        [
            KeyRow(.enter, shown: "Enter", footer: "keep", help: "keep what was found", command { screen, _ in screen.keepSearch() }),
            KeyRow(.escape, shown: "Esc", footer: "drop", help: "drop the search", command { screen, _ in screen.dropSearch() }),
            KeyRow(.backspace, shown: "Backspace", footer: "erase", help: "erase a character", command { $0.eraseCharacter($1) }),
        ])

    static let console = KeyMode(
        "Typing to the program", typing: .program,
        [
            KeyRow(
                .control("]"), shown: "Ctrl-]", footer: "back to the inspector's keys", help: "keys are the inspector's again",
                command { screen, _ in screen.leaveConsole() })
        ])
}
