/// The meaning of a piece of text. A screen names the role, and the driver maps it to the terminal's colours and attributes.
///
/// Colour never carries meaning alone: each state also has a glyph and a word.
package enum Role: UInt8, CaseIterable, Sendable {
    case text, dim, title, header, tab, tabSelected, columnHeader
    /// A key's name in the footer.
    case key
    case border, selection, filter
    case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped
    /// The path of an error.
    case fault
    /// A hop onto the main executor, or away from it.
    case mainHop
    case hop, warning, good, bar, barDim
    /// A gate that holds jobs.
    case held
    /// The graph's lane colours.
    case rail0, rail1, rail2, rail3, rail4, rail5, rail6, rail7

    /// The colour of a graph lane; the ninth lane has the first one's.
    package static func rail(_ lane: Int) -> Role {
        let lanes: [Role] = [.rail0, .rail1, .rail2, .rail3, .rail4, .rail5, .rail6, .rail7]
        return lanes[lane & 7]
    }
}

/// Attributes added to a role's look.
package struct Emphasis: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let bold = Emphasis(rawValue: 1)
    package static let dim = Emphasis(rawValue: 2)
    package static let underline = Emphasis(rawValue: 4)
    /// Foreground and background exchanged, for example for a text cursor.
    package static let reversed = Emphasis(rawValue: 8)
    /// Part of the selected row: the role keeps its own colour on the selection's background.
    package static let selected = Emphasis(rawValue: 16)
    /// A cell that the last step through time has changed.
    package static let changed = Emphasis(rawValue: 32)
}

/// A cell's role and emphasis.
package struct Style: Hashable, Sendable {
    package var role: Role
    package var emphasis: Emphasis

    package init(_ role: Role, _ emphasis: Emphasis = []) {
        self.role = role
        self.emphasis = emphasis
    }

    package static let text = Style(.text)
}
