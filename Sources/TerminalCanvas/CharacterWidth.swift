/// The number of columns that a character takes in a terminal: 0, 1 or 2.
///
/// The width depends neither on the locale nor on the C library. East Asian wide and fullwidth characters take two columns
/// (`EastAsianWidth.txt` of Unicode 16), ambiguous ones one, combining marks and controls none. Emoji are wide in that file if they are
/// pictures by default; U+FE0F makes others wide. A driver whose terminal disagrees must keep the layout: it pads, or shows less.
package enum CharacterWidth {
    /// The width of a single scalar.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 {
            return value >= 0x20 && value < 0x7F || value >= 0xA0 && value != 0xAD ? 1 : 0
        }
        if contains(zero, value) { return 0 }
        return value >= 0x1100 && contains(wide, value) ? 2 : 1
    }

    /// The width of a grapheme cluster: the sum of its scalars' widths, at most 2. A base that U+FE0F turns into a picture takes two.
    package static func of(_ character: Character) -> Int {
        of(cluster: character.unicodeScalars)
    }

    /// The columns that a canvas uses for a text, after `Unicode.Scalar.screening`.
    package static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + onCanvas($1) }
    }

    /// The columns that a character of program text takes on a canvas.
    static func onCanvas(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        return switch scalars[scalars.startIndex].screening {
        case .keep: of(cluster: scalars)
        case .space: 1
        case .drop: 0
        }
    }

    static func of(cluster scalars: some Collection<Unicode.Scalar>) -> Int {
        var sum = 0
        for scalar in scalars {
            if scalar == "\u{FE0F}", sum == 1, scalars.first?.properties.isEmoji == true { return 2 }
            sum += of(scalar)
            if sum >= 2 { return 2 }
        }
        return sum
    }

    private static func contains(_ ranges: [UInt32], _ value: UInt32) -> Bool {
        var low = 0
        var high = ranges.count / 2
        while low < high {
            let middle = (low + high) / 2
            if value > ranges[2 * middle + 1] {
                low = middle + 1
            } else if value < ranges[2 * middle] {
                high = middle
            } else {
                return true
            }
        }
        return false
    }
}
