import TaskEvents
import TerminalCanvas
import TraceAnalysis

/// The help's text, from the key table and the table of badges.
extension HelpScreen {
    /// All keys by mode, and each mode's glossary below its keys, with those of the screen below first, then the badges, lines and bars. A
    /// row that was listed is not repeated.
    ///
    /// - Parameter takesCommands: Whether the program takes commands. If not, the keys that send them are left out.
    static func sections(above below: Below, _ glyphs: GlyphSet, takesCommands: Bool = true) -> [Section] {
        var listed: Set<String> = []
        let others = below.keys.modes.filter { $0.title != below.mode.title && $0.title != modes[0].title }
        func sections(of mode: KeyMode) -> [Section] {
            let entries = below.keys.entries(in: mode, \.help).filter { takesCommands || $0.group != .control }.filter {
                listed.insert($0.shown + $0.help).inserted
            }
            let keys = Section(title: mode.title, keys: entries.map { ($0.shown(glyphs), $0.help) })
            let words = mode.glossary.map { Section(title: $0.title, keys: $0.words.map { ($0.word, $0.meaning) }) }
            return [entries.isEmpty ? nil : keys, words].compactMap { $0 }
        }
        return sections(of: below.mode) + [badges(glyphs), lines(glyphs)] + others.flatMap(sections)
    }

    /// The meanings of the lines and bars.
    private static func lines(_ glyphs: GlyphSet) -> Section {
        let words: [(Glyph, String)] = [
            (.node, "a task on its chain's line"), (.dotted, "the way of an error past what it skips"),
            (.fold, "siblings that all succeeded, in one line"), (.arrow, "a hop to another executor"),
            (.bar8, "a job that runs, or a busy share"), (.spark4, "the depth of a queue"), (.sortedUp, "sorted, the least first"),
            (.sortedDown, "sorted, the greatest first"), (.scrollThumb, "the part of the list in sight"),
        ]
        return Section(title: "Lines and bars", keys: words.map { (String(Character(glyphs[$0.0])), $0.1) })
    }

    /// The meaning of each glyph, from the badges that the screens draw.
    private static func badges(_ glyphs: GlyphSet) -> Section {
        let lists: [(of: String, badges: [any Badged])] = [
            ("a task: ", DisplayedState.allCases), ("an error: ", Verdict.allCases), ("a finding: ", WarningSeverity.allCases),
            ("an event: ", EventKind.allCases),
        ]
        var words: [Unicode.Scalar: [String]] = [:]
        var order: [Unicode.Scalar] = []
        for (of, badges) in lists {
            for (glyph, badges) in Dictionary(grouping: badges, by: { $0.badge.glyph(isASCII: glyphs.isASCII) }) {
                words[glyph, default: []].append(of + badges.map(\.badge.word).joined(separator: ", "))
            }
            for badge in badges where !order.contains(badge.badge.glyph(isASCII: glyphs.isASCII)) {
                order.append(badge.badge.glyph(isASCII: glyphs.isASCII))
            }
        }
        return Section(title: "Glyphs", keys: order.map { (String($0), words[$0, default: []].joined(separator: "; ")) })
    }
}
