/// The colour of a terminal's ground, in parts from 0 to 1.
package struct GroundColour: Hashable, Sendable {
    package let red, green, blue: Double

    /// Reads a terminal's answer to OSC 11, such as `rgb:ffff/ffff/ffff`: three or, with transparency, four numbers of one to four
    /// hexadecimal digits. Nil for anything else. Source: "Device-Independent Color Specifications" in Xlib's manual.
    package init?(answer: String) {
        guard let colon = answer.firstIndex(of: ":"), ["rgb", "rgba"].contains(answer[..<colon]) else { return nil }
        let parts = answer[answer.index(after: colon)...].split(separator: "/", omittingEmptySubsequences: false).map(Self.part)
        guard (3...4).contains(parts.count), let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    private static func part(_ digits: Substring) -> Double? {
        guard (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        guard let number = UInt16(digits, radix: 16) else { return nil }
        return Double(number) / Double((1 << (4 * digits.utf8.count)) - 1)
    }

    /// Whether black text has more contrast on it than white text. Source: relative luminance and contrast ratio in the Web Content
    /// Accessibility Guidelines 2.2; both texts have the same contrast at a luminance of 0.179.
    package var isLight: Bool {
        func linear(_ part: Double) -> Double {
            // Close enough to the power of 2.4, which the standard library does not have.
            part * part
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179
    }
}
