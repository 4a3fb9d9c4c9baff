import TerminalCanvas

/// One row of the key table: the keys, what they do, and how footer and help say so.
struct KeyRow: Sendable {
    /// What the footer does with it: these are put first or left out together.
    enum Group: Hashable, Sendable {
        case screen, time, control
        /// Help and quit, which stay in sight.
        case basic
    }

    var keys: [Key]
    /// The keys as they are shown. Rows with the same text belong together: they are told once, and one does not work without the others.
    var shown: String
    /// In a word or two, for the footer; empty for keys that the footer leaves out.
    var footer: String
    /// The same while what the key began goes on: paused, or held.
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

    /// The keys in the spelling of a terminal.
    func shown(_ glyphs: GlyphSet) -> String {
        guard glyphs.isASCII else { return shown }
        return switch shown {
        case "↑↓": "Up Down"
        case "←→": "Left Right"
        case let shown: shown
        }
    }
}

/// The keys of a screen while it listens in one way: to commands, or to text.
struct KeyMode: Sendable {
    enum Typing: Sendable {
        case nothing
        /// Characters that are no key of the mode are text.
        case text
        /// Every other key goes to the inspected program.
        case program
    }

    /// The heading of its keys in the help.
    let title: String
    let typing: Typing
    /// Whether the keys that work on every screen work here.
    let hasGeneralKeys: Bool
    let rows: [KeyRow]

    init(_ title: String, typing: Typing = .nothing, hasGeneralKeys: Bool? = nil, _ rows: [KeyRow]) {
        self.title = title
        self.typing = typing
        self.hasGeneralKeys = hasGeneralKeys ?? (typing == .nothing)
        self.rows = rows
    }
}
