/// The treatment of a scalar in text from the inspected program.
package enum Screening: Sendable {
    /// Shown, alone or as part of a cluster.
    case keep
    /// A tab or a line break, shown as one space.
    case space
    /// Removed: it controls the terminal or the text direction, or is invisible.
    case drop
}

extension Unicode.Scalar {
    /// Whether the scalar may reach a terminal.
    ///
    /// Names, errors and output come from the inspected program, and a terminal executes control sequences. So C0 and C1 controls and DEL
    /// are removed, as are bidirectional marks, embeddings, overrides and isolates, which would reorder columns, and invisible characters.
    /// Joiners, variation selectors and tags stay: inside a cluster they select its picture, and alone they take no cell.
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
    /// The text without control characters; each tab and line break is one space.
    ///
    /// A canvas screens the text that it writes; this property is for other destinations, such as a report or a window's title.
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
