import TerminalCanvas

/// A piece of a line with its style.
struct Span {
    var text: String
    var style: Style

    init(_ text: String, _ role: Role = .text, _ emphasis: Emphasis = []) {
        self.text = text
        style = Style(role, emphasis)
    }

    var width: Int { CharacterWidth.of(text) }
}

extension Canvas {
    /// Writes pieces in a row and returns the column after the last. Text past `end` is cut with an ellipsis.
    @discardableResult
    mutating func write(_ spans: [Span], at point: Point, end: Int) -> Int {
        var column = point.column
        for span in spans where column < end {
            column += write(span.text, at: Point(column: column, row: point.row), style: span.style, limit: end - column)
        }
        return column
    }
}

extension String {
    /// The largest number of characters in a typed line, because each key reads the whole line again.
    static let typedLimit = 400

    /// The line with the typed or pasted text appended, as far as there is room.
    func appending(typed text: String) -> String {
        self + text.printable.prefix(Swift.max(0, Self.typedLimit - count))
    }

    /// The text cut to `columns`, with an ellipsis at the cut.
    func fitting(_ columns: Int, _ glyphs: GlyphSet) -> String {
        guard CharacterWidth.of(self) > columns else { return self }
        var text = ""
        var left = columns - 1
        for character in self {
            left -= CharacterWidth.of(String(character))
            guard left >= 0 else { break }
            text.append(character)
        }
        return columns > 0 ? text + String(Character(glyphs[.ellipsis])) : ""
    }
}

/// A time of the trace, in the form of a clock.
enum ClockText {
    /// `00:12.48`, preceded by the hours if there are any.
    static func text(_ nanoseconds: UInt64) -> String {
        let hundredths = nanoseconds / 10_000_000
        let (minutes, rest) = (hundredths / 6000).quotientAndRemainder(dividingBy: 60)
        let clock = "\(two(rest)):\(two(hundredths / 100 % 60)).\(two(hundredths % 100))"
        return minutes > 0 ? "\(two(minutes)):\(clock)" : clock
    }

    /// `00:12.481204`, precise enough to distinguish consecutive events.
    static func precise(_ nanoseconds: UInt64) -> String {
        let micros = String(nanoseconds / 1000 % 1_000_000)
        return String(text(nanoseconds).dropLast(2)) + String(repeating: "0", count: 6 - micros.count) + micros
    }

    /// `00:12.481`.
    static func milliseconds(_ nanoseconds: UInt64) -> String { String(precise(nanoseconds).dropLast(3)) }

    private static func two(_ number: UInt64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
