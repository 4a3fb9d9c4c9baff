import TerminalCanvas

/// The only table of keys: each screen's own keys, and the keys for every screen. The help and the footer are built from it.
enum KeyTable {
    /// The keys that work on every screen, in the order of the help.
    static let general: [KeyRow] =
        ScreenList.types.flatMap { $0.keysEverywhere } + KeyRow.time + commands + screens + basics + KeyRow.control

    /// All modes, screens first.
    static let modes: [KeyMode] = (ScreenList.types + ScreenList.overlays).flatMap { $0.modes }

    /// The rows that work in a mode, the mode's own first. If a mode has its own use for a key, the general keys with the same displayed
    /// name do not work. Among the digits, only the digit in use is lost.
    static func rows(in mode: KeyMode) -> [KeyRow] {
        guard mode.hasGeneralKeys else { return mode.rows }
        let own = Set(mode.rows.flatMap(\.keys))
        let taken = Set(general.filter { !own.isDisjoint(with: $0.keys) }.map(\.shown))
        return mode.rows
            + general.filter { row in
                if case .go = row.command { own.isDisjoint(with: row.keys) } else { !taken.contains(row.shown) }
            }
    }

    static func row(for key: Key, in mode: KeyMode) -> KeyRow? {
        mode.rows.first { $0.keys.contains(key) } ?? rows(in: mode).first { $0.keys.contains(key) }
    }

    /// The rows of a mode that have this text. Of rows with the same keys, only the first is returned.
    static func entries(in mode: KeyMode, _ text: KeyPath<KeyRow, String>) -> [KeyRow] {
        var shown: Set<String> = []
        return rows(in: mode).filter { !$0[keyPath: text].isEmpty && shown.insert($0.shown).inserted }
    }

    private static let commands = [
        KeyRow(.character("w"), shown: "w", footer: "why waits", help: "why the selected task, job or executor waits", .explainWait),
        KeyRow.searches,
        KeyRow(.character(":"), shown: ":", footer: "commands", help: "all commands, themes and columns", .palette("")),
        KeyRow(.character("y"), shown: "y", help: "copy the task's line or detail", .copy),
    ]

    private static let screens: [KeyRow] = {
        let digits = ScreenList.names.compactMap { name in name.digit.map { (name, $0) } }
        let shown = "\(digits.first?.1 ?? " ")-\(digits.last?.1 ?? " ")"
        return [
            KeyRow(.tab, shown: "Tab", footer: "next screen", help: "next or, with Shift, previous screen", .nextScreen),
            KeyRow(.backTab, shown: "Tab", .previousScreen),
        ]
            + digits.map { KeyRow(.character($1), shown: shown, help: "pick a screen (or click its tab)", .go(to: $0)) }
    }()

    private static let basics = [KeyRow.repaints, KeyRow.help, KeyRow.quits]
}

extension KeyRow {
    static let searches = KeyRow(
        .character("/"), shown: "/", footer: "search", help: "search the rows for words; in Graph and Timeline the tasks, by a query",
        .search)
    static let repaints = KeyRow(.control("l"), shown: "Ctrl-L", help: "paint the terminal again", .repaint)
    static let help = KeyRow(.character("?"), shown: "?", footer: "help", help: "show or leave this help", group: .basic, .help)
    static let quits = KeyRow(.character("q"), shown: "q", footer: "quit", help: "leave the inspector", group: .basic, .quit)
}
