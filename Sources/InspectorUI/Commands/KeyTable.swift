import TerminalCanvas

/// The one table of keys: each screen's own, and those that work on every screen. Help and footer are made from it.
enum KeyTable {
    /// The keys that work on every screen, in the order in which the help tells them.
    static let general: [KeyRow] =
        ScreenList.types.flatMap { $0.keysEverywhere } + KeyRow.time + commands + screens + basics + KeyRow.control

    /// All modes, screens first.
    static let modes: [KeyMode] = (ScreenList.types + ScreenList.overlays).flatMap { $0.modes }

    /// The rows that work in a mode, its own first. Where a mode has a use of its own for a key, the general keys that belong together with
    /// it do not work; of the digits only that one does not.
    static func rows(in mode: KeyMode) -> [KeyRow] {
        guard mode.hasGeneralKeys else { return mode.rows }
        let own = Set(mode.rows.flatMap(\.keys))
        let taken = Set(general.filter { !own.isDisjoint(with: $0.keys) }.map(\.shown))
        return mode.rows
            + general.filter { row in
                if case .go = row.command { own.isDisjoint(with: row.keys) } else { !taken.contains(row.shown) }
            }
    }

    static func command(for key: Key, in mode: KeyMode) -> Command? {
        let row = mode.rows.first { $0.keys.contains(key) } ?? rows(in: mode).first { $0.keys.contains(key) }
        return row?.command
    }

    /// The rows of a mode with something to say, those with the same keys only once.
    static func entries(in mode: KeyMode, _ text: KeyPath<KeyRow, String>) -> [KeyRow] {
        var shown: Set<String> = []
        return rows(in: mode).filter { !$0[keyPath: text].isEmpty && shown.insert($0.shown).inserted }
    }

    private static let commands = [
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
    static let repaints = KeyRow(.control("l"), shown: "Ctrl-L", help: "paint the terminal again", .repaint)
    static let help = KeyRow(.character("?"), shown: "?", footer: "help", help: "show or leave this help", group: .basic, .help)
    static let quits = KeyRow(.character("q"), shown: "q", footer: "quit", help: "leave the inspector", group: .basic, .quit)
}
