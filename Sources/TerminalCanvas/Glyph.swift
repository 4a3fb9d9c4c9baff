/// A drawing character, named by its meaning. It is one column wide in both glyph sets.
package enum Glyph: CaseIterable, Sendable {
    // Rails of the graph, and borders.
    case vertical, horizontal, topLeft, topRight, bottomLeft, bottomRight
    case teeRight, teeLeft, teeDown, teeUp, cross
    /// A task on its rail.
    case node
    /// The rail of a skipped continuation.
    case dotted
    /// One line that replaces many tasks on a rail.
    case fold
    // Bars that grow to the right.
    case bar1, bar2, bar3, bar4, bar5, bar6, bar7, bar8
    // Bars that grow upwards.
    case spark1, spark2, spark3, spark4, spark5, spark6, spark7, spark8
    case arrow, arrowLeft, warning, ellipsis, none, separator, bullet
    case sortedUp, sortedDown, folded, unfolded
    case live, paused
    case scrollThumb

    package var spelling: GlyphSpelling {
        let (unicode, ascii): (Unicode.Scalar, Unicode.Scalar) =
            switch self {
            case .vertical: ("│", "|")
            case .horizontal: ("─", "-")
            case .topLeft: ("╭", ".")
            case .topRight: ("╮", ".")
            case .bottomLeft: ("╰", "`")
            case .bottomRight: ("╯", "'")
            case .teeRight: ("├", "+")
            case .teeLeft: ("┤", "+")
            case .teeDown: ("┬", "+")
            case .teeUp: ("┴", "+")
            case .cross: ("┼", "+")
            case .node: ("●", "*")
            case .dotted: ("┊", ":")
            case .fold: ("⋯", "%")
            case .bar1: ("▏", ".")
            case .bar2: ("▎", ".")
            case .bar3: ("▍", ":")
            case .bar4: ("▌", "-")
            case .bar5: ("▋", "=")
            case .bar6: ("▊", "=")
            case .bar7: ("▉", "=")
            case .bar8: ("█", "#")
            case .spark1: ("▁", "_")
            case .spark2: ("▂", ".")
            case .spark3: ("▃", "-")
            case .spark4: ("▄", "=")
            case .spark5: ("▅", "+")
            case .spark6: ("▆", "*")
            case .spark7: ("▇", "%")
            case .spark8: ("█", "#")
            case .arrow: ("→", ">")
            case .arrowLeft: ("←", "<")
            case .warning: ("⚠", "!")
            case .ellipsis: ("…", "~")
            case .none: ("–", "-")
            case .separator: ("·", ".")
            case .bullet: ("•", "*")
            case .sortedUp: ("▲", "^")
            case .sortedDown: ("▼", "v")
            case .folded: ("▸", ">")
            case .unfolded: ("▾", "v")
            case .live: ("▶", ">")
            case .paused: ("‖", "=")
            case .scrollThumb: ("┃", "|")
            }
        return GlyphSpelling(unicode: unicode, ascii: ascii)
    }
}

/// A character of one column in Unicode, and its replacement where a terminal has only ASCII.
package struct GlyphSpelling: Hashable, Sendable {
    package var unicode: Unicode.Scalar
    package var ascii: Unicode.Scalar

    package init(unicode: Unicode.Scalar, ascii: Unicode.Scalar) {
        (self.unicode, self.ascii) = (unicode, ascii)
    }

    /// The replacements of glyphs, and of quotation marks and dashes, which names and errors contain.
    static let ascii: [Unicode.Scalar: Unicode.Scalar] = {
        let glyphs = Glyph.allCases.map { ($0.spelling.unicode, $0.spelling.ascii) }
        return Dictionary(glyphs + [("‘", "'"), ("’", "'"), ("“", "\""), ("”", "\""), ("—", "-"), ("×", "x"), ("µ", "u")]) { one, _ in one }
    }()
}

extension Glyph {
    /// A cell of a horizontal bar, filled to 1 to 8 eighths.
    package static func bar(eighths: Int) -> Glyph {
        let bars: [Glyph] = [.bar1, .bar2, .bar3, .bar4, .bar5, .bar6, .bar7, .bar8]
        return bars[eighths - 1]
    }

    /// A sparkline's bar of 1 to 8 eighths of the row.
    package static func spark(eighths: Int) -> Glyph {
        let sparks: [Glyph] = [.spark1, .spark2, .spark3, .spark4, .spark5, .spark6, .spark7, .spark8]
        return sparks[eighths - 1]
    }

    /// `value / total` of `steps`: 0 only for a value of 0, and `steps` only for a value of `total` or more.
    static func levels(_ value: Int, of total: Int, steps: Int) -> Int {
        guard value > 0, steps > 0 else { return 0 }
        guard value < total else { return steps }
        return max(1, Int(Double(value) / Double(total) * Double(steps)))
    }
}

/// The set of characters for glyphs.
package enum GlyphSet: CaseIterable, Sendable {
    case unicode, ascii

    package subscript(glyph: Glyph) -> Unicode.Scalar { self[glyph.spelling] }

    package subscript(spelling: GlyphSpelling) -> Unicode.Scalar {
        switch self {
        case .unicode: spelling.unicode
        case .ascii: spelling.ascii
        }
    }
}
