import TerminalCanvas

/// One row of the key table: the keys, their effect, and its description in the footer and in the help.
struct KeyRow: Sendable {
    /// The footer shows or omits the keys of a group together.
    enum Group: Hashable, Sendable {
        case screen, time, control
        /// Help and quit, which the footer always shows.
        case basic
    }

    var keys: [Key]
    /// The displayed names of the keys. Rows with equal names belong together: the help lists them once, and they work only together.
    var shown: String
    /// One or two words for the footer. Empty for keys that the footer omits.
    var footer: String
    /// The footer's words while the key's effect lasts: while paused, or while jobs are held.
    var footerMeanwhile: String?
    var help: String
    var group: Group
    var command: Command

    init(
        _ keys: Key..., shown: String, footer: String = "", meanwhile: String? = nil, help: String = "", group: Group = .screen,
        _ command: Command
    ) {
        self.keys = keys
        self.shown = shown
        self.footer = footer
        footerMeanwhile = meanwhile
        self.help = help
        self.group = group
        self.command = command
    }

    /// The keys in the terminal's spelling.
    func shown(_ glyphs: GlyphSet) -> String {
        guard glyphs.isASCII else { return shown }
        return switch shown {
        case "↑↓": "Up Down"
        case "←→": "Left Right"
        case let shown: shown
        }
    }
}

/// The keys of a screen in one input mode: for commands, or for text.
struct KeyMode: Sendable {
    enum Typing: Sendable {
        case nothing
        /// Characters that are not keys of the mode are text.
        case text
        /// Every key outside the mode goes to the inspected program.
        case program
    }

    /// The heading of the mode's keys in the help.
    let title: String
    let typing: Typing
    /// Whether the keys for every screen work in this mode.
    let hasGeneralKeys: Bool
    let rows: [KeyRow]
    /// The words of the screen that the help explains below the keys, under the glossary's title.
    let glossary: (title: String, words: [(word: String, meaning: String)])?

    init(
        _ title: String, typing: Typing = .nothing, hasGeneralKeys: Bool? = nil, _ rows: [KeyRow],
        glossary: (title: String, words: [(word: String, meaning: String)])? = nil
    ) {
        self.title = title
        self.typing = typing
        self.hasGeneralKeys = hasGeneralKeys ?? (typing == .nothing)
        self.rows = rows
        self.glossary = glossary
    }
}
