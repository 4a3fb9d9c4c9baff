import TerminalCanvas

/// Builds the help from the key table.
enum HelpText {
    /// All keys by mode, with those of the screen below first. A row that was listed is not repeated.
    static func sections(below: KeyMode, _ glyphs: GlyphSet) -> [HelpScreen.Section] {
        var told: Set<String> = []
        let others = KeyTable.modes.filter { $0.title != below.title && $0.title != HelpScreen.modes[0].title }
        return ([below] + others).compactMap { mode in
            let entries = KeyTable.entries(in: mode, \.help).filter { told.insert($0.shown + $0.help).inserted }
            guard !entries.isEmpty else { return nil }
            return HelpScreen.Section(title: mode.title, keys: entries.map { ($0.shown(glyphs), $0.help) })
        }
    }
}
