import TerminalCanvas

/// Rows that several screens share: moving in lists, scrolling, opening.
extension KeyRow {
    /// Up and down.
    static func upAndDown(_ footer: String, _ help: String) -> [KeyRow] {
        [
            KeyRow(.up, .character("k"), shown: "↑↓", footer: footer, help: help, .move(.up)),
            KeyRow(.down, .character("j"), shown: "↑↓", .move(.down)),
        ]
    }

    /// Left and right.
    static func sideways(_ footer: String, _ help: String) -> [KeyRow] {
        [
            KeyRow(.left, .character("h"), shown: "←→", footer: footer, help: help, .move(.left)),
            KeyRow(.right, .character("l"), shown: "←→", .move(.right)),
        ]
    }

    static let pages = [
        KeyRow(.pageUp, .control("b"), shown: "PgUp PgDn", help: "a page up or down", .move(.pageUp)),
        KeyRow(.pageDown, .control("f"), shown: "PgUp PgDn", .move(.pageDown)),
    ]

    static let ends = [
        KeyRow(.home, .character("g"), shown: "Home G", help: "to the first or the last (or g)", .move(.first)),
        KeyRow(.character("G"), shown: "Home G", .move(.last)),
    ]

    /// The same keys, for screens on which g has another effect.
    static let endsWithoutG = [
        KeyRow(.home, shown: "Home G", help: "to the first or the last", .move(.first)),
        KeyRow(.character("G"), shown: "Home G", .move(.last)),
    ]

    /// The keys of a list that can do nothing while it is empty.
    static let keysOfRows: [Key] = [.up, .enter]

    static let list = upAndDown("select", "select (or j k, or a click)") + pages + ends
    static let scrolling = upAndDown("scroll", "scroll (or j k, or the wheel)") + pages + ends

    static func enter(_ footer: String, _ help: String) -> KeyRow { KeyRow(.enter, shown: "Enter", footer: footer, help: help, .open) }
    static let opensTask = enter("open", "open the task (or click it again)")

    static func escape(_ footer: String, _ help: String) -> KeyRow {
        KeyRow(.escape, shown: "Esc", footer: footer, help: help, .back)
    }
    static let dropsSelection = escape("", "drop the selection")
}
