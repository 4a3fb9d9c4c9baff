import TerminalCanvas

/// All entries of the palette: the keys of the screen below in the order of the key table, then the commands without a key.
enum PaletteEntries {
    static func all(below mode: KeyMode, _ model: Model) -> [PaletteEntry] {
        let shared = model.shared
        var told: Set<String> = []
        let keyed = KeyTable.rows(in: mode).compactMap { row -> PaletteEntry? in
            switch row.command {
            case .go, .palette(""): return nil
            case _: break
            }
            guard !row.help.isEmpty, told.insert(row.help).inserted else { return nil }
            return PaletteEntry(text: row.help, keys: row.shown, command: row.command)
        }
        let screens = model.names.map { name in
            PaletteEntry(text: "go to \(name.title)", keys: name.digit.map(String.init) ?? "", command: .go(to: name))
        }
        let themes = Theme.allCases.map { theme in
            let mark = theme == shared.settings.theme ? " (this one)" : ""
            return PaletteEntry(text: "theme: \(theme.rawValue)\(mark)", command: .shared { $0.use(theme) })
        }
        return keyed + screens + themes + model.screens.flatMap { $0.commands(shared) }
    }
}

extension SharedState {
    fileprivate mutating func use(_ theme: Theme) -> [Effect] {
        settings.theme = theme
        return [.use(theme), .save(settings)]
    }
}
