import TerminalCanvas

/// The only table of keys: each layer's own keys, and the keys that work on every screen. The help and the footer are built from it.
struct KeyTable: Sendable {
    /// The keys that work on every screen, in the order of the help.
    let general: [KeyRow]
    /// All modes, screens first.
    let modes: [KeyMode]

    init(screens: [ScreenName], keysOfScreens: [KeyRow], keysOfOverlays: [KeyRow], modes: [KeyMode]) {
        let opening = keysOfOverlays.filter { $0.group == .screen }
        let basics = [KeyRow.repaints] + keysOfOverlays.filter { $0.group == .basic }
        let things = [KeyRow.copies, KeyRow.processes, KeyRow.edits]
        general = keysOfScreens + KeyRow.time + opening + things + Self.rows(of: screens) + basics + KeyRow.control
        self.modes = modes
    }

    /// The rows that work in a mode, the mode's own first. If a mode has its own use for a key, the general keys with the same displayed
    /// name do not work. Among the keys of screens, only the key in use is lost.
    func rows(in mode: KeyMode) -> [KeyRow] {
        guard mode.hasGeneralKeys else { return mode.rows }
        let own = Set(mode.rows.flatMap(\.keys))
        let taken = Set(general.filter { !own.isDisjoint(with: $0.keys) }.map(\.shown))
        return mode.rows
            + general.filter { row in
                if case .go = row.command { own.isDisjoint(with: row.keys) } else { !taken.contains(row.shown) }
            }
    }

    func row(for key: Key, in mode: KeyMode) -> KeyRow? {
        mode.rows.first { $0.keys.contains(key) } ?? rows(in: mode).first { $0.keys.contains(key) }
    }

    /// The rows of a mode that have this text. Of rows with the same keys, only the first is returned.
    func entries(in mode: KeyMode, _ text: KeyPath<KeyRow, String>, orIf isListed: (KeyRow) -> Bool = { _ in false }) -> [KeyRow] {
        var shown: Set<String> = []
        return rows(in: mode).filter { (!$0[keyPath: text].isEmpty || isListed($0)) && shown.insert($0.shown).inserted }
    }

    /// The help of a row, which may stand at another row with the same keys.
    func help(of row: KeyRow, in mode: KeyMode) -> String {
        guard row.help.isEmpty else { return row.help }
        return rows(in: mode).first { $0.shown == row.shown && !$0.help.isEmpty }?.help ?? row.shown
    }

    /// The digits stand together. A letter has a row and a word of its own.
    private static func rows(of screens: [ScreenName]) -> [KeyRow] {
        let digits = screens.compactMap(\.shortcut).filter(\.isNumber)
        let shown = "\(digits.first ?? " ")-\(digits.last ?? " ")"
        return [
            KeyRow(.tab, shown: "Tab", footer: "next screen", help: "next or, with Shift, previous screen", .nextScreen),
            KeyRow(.backTab, shown: "Tab", .previousScreen),
        ]
            + screens.compactMap { name in
                guard let key = name.shortcut else { return nil }
                guard !key.isNumber else {
                    return KeyRow(.character(key), shown: shown, help: "pick a screen (or click its tab)", .go(to: name))
                }
                let title = name.title
                return KeyRow(.character(key), shown: String(key), footer: title, help: "show \(title) (or click its tab)", .go(to: name))
            }
    }
}

extension KeyRow {
    static let repaints = KeyRow(.control("l"), shown: "Ctrl-L", help: "paint the terminal again", .repaint)
    static let copies = KeyRow(.character("y"), shown: "y", help: "copy the task's line or detail", .copy)
    static let processes = KeyRow(
        .character("A"), shown: "A", help: "show another process of the program", .shared { $0.showNextProcess() })
    static let edits = KeyRow(.character("v"), shown: "v", help: "open the line of source in $EDITOR", .edit)
}
