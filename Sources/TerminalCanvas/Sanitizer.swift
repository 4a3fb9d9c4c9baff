/// What becomes of a scalar of the inspected program's text on its way to the screen.
package enum Screening: Sendable {
    /// It is shown, alone or as part of a cluster.
    case keep
    /// A tab or a line break: one space.
    case space
    /// It steers a terminal or the direction of reading, or shows nothing: it goes.
    case drop
}

extension Unicode.Scalar {
    /// Whether the scalar may reach a terminal.
    ///
    /// Names, errors and output come from the inspected program, and a terminal obeys what it is sent. So the C0 and C1 controls and DEL go, as do the
    /// bidirectional marks, embeddings, overrides and isolates (they would reorder our columns), and characters that show nothing between two others.
    /// Joiners, variation selectors and tags stay: inside a cluster they make the picture, and alone they take no cell.
    package var screening: Screening {
        switch value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: .space
        case ..<0x20, 0x7F...0x9F, 0xAD: .drop
        case ..<0x61C: .keep
        case 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F: .drop
        case 0xFEFF, 0xFFF9...0xFFFB, 0xE0001: .drop
        default: .keep
        }
    }
}

extension StringProtocol {
    /// The text without what a terminal could obey: control characters dropped, each tab and line break one space.
    ///
    /// A canvas screens all that it writes by itself; this is for text that goes elsewhere, to a report or a window's title. Lone surrogates cannot occur in
    /// a Swift string; ill-formed UTF-8 was replaced by U+FFFD when the string was made.
    package var printable: String {
        var result = ""
        for character in self {
            if character == "\r\n" {
                result.append(" ")
                continue
            }
            for scalar in character.unicodeScalars {
                switch scalar.screening {
                case .keep: result.unicodeScalars.append(scalar)
                case .space: result.append(" ")
                case .drop: break
                }
            }
        }
        return result
    }
}
