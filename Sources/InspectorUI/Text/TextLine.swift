import TerminalCanvas
import TextOutput

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

extension String {
    /// A name cut to `columns`, with an ellipsis at the cut. Keeps the part that tells names apart:
    /// - the function in which a closure is (`…in Server.run()`), and the function of a type (`…testShutdown()`);
    /// - the end of a dotted label (`…root.default-qos`);
    /// - a number or a line (`Service…#2`, `submitAll…:35`, `save… 12`);
    /// - a place (`handle(_:):25`, or else `hand… App.swift:25`, `handle…:25`).
    func fittingName(_ columns: Int, _ glyphs: GlyphSet) -> String {
        let (ellipsis, room) = (String(Character(glyphs[.ellipsis])), columns - 1)
        guard CharacterWidth.of(self) > columns, room > 0 else { return fitting(columns, glyphs) }
        if let space = lastIndex(of: " "), let colon = self[space...].lastIndex(of: ":"), self[space...].contains(".swift:") {
            // A whole function and its line tell more than a part of it and its file.
            guard CharacterWidth.of(self[..<space]) + CharacterWidth.of(self[colon...]) > columns else {
                return String(self[..<space] + self[colon...])
            }
            let isWhole = CharacterWidth.of(self[space...]) + Self.leastFunctionColumns <= columns
            let end = isWhole ? self[space...] : self[colon...]
            let left = columns - CharacterWidth.of(end)
            if left >= 4 { return String(self[..<space]).fittingName(left, glyphs) + end }
        }
        if let separator = lastIndex(where: { !$0.isNumber }), separator > startIndex, "#: ".contains(self[separator]),
            last != self[separator],
            !hasPrefix("closure #")
        {
            let number = self[separator...]
            guard number.count + 4 <= columns else { return fitting(columns, glyphs) }
            return String(self[..<separator]).fittingName(columns - number.count, glyphs) + number
        }
        if hasPrefix("closure #"), let rest = end(from: " ", room) { return ellipsis + rest }
        let stem = self[..<(firstIndex(of: "(") ?? endIndex)]
        if stem.endIndex < endIndex, let dot = stem.lastIndex(of: ".") {
            return ellipsis + String(self[index(after: dot)...]).fitting(room, glyphs)
        }
        let isLabel = stem.filter { $0 == "." }.count > 1 || stem.first?.isUppercase ?? false
        if isLabel, !stem.contains("/"), let rest = end(from: ".", room) ?? stem.split(separator: ".").last, rest.count < count {
            return ellipsis + String(rest).fitting(room, glyphs)
        }
        return fitting(columns, glyphs)
    }

    /// A sentence that ends with a place, cut before the place: `a continu… App.swift:26`. The place alone if no more has room.
    func fitting(_ columns: Int, keeping place: String?, _ glyphs: GlyphSet) -> String {
        guard CharacterWidth.of(self) > columns, let place, hasSuffix(place), !place.isEmpty else { return self }
        let room = columns - CharacterWidth.of(place) - 1
        guard room < Self.leastBeforePlace else { return "\(fitting(room, glyphs)) \(place)" }
        return CharacterWidth.of(place) <= columns ? place : self
    }

    private static let leastBeforePlace = 8
    /// The room that the beginning of a function keeps before its place.
    private static let leastFunctionColumns = 8

    /// The longest end after a separator that has room.
    private func end(from separator: Character, _ room: Int) -> Substring? {
        var rest = self[...]
        while CharacterWidth.of(rest) > room || rest.hasPrefix("#") {
            guard let end = rest.firstIndex(of: separator) else { return nil }
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? nil : rest
    }
}

extension StringProtocol {
    /// The text cut to `columns` between two words, with an ellipsis at the cut. The cut is inside a word if much of the room would stay empty
    /// otherwise: more than a half, or more than a quarter of a long line.
    func fittingWords(_ columns: Int, _ glyphs: GlyphSet) -> String {
        guard CharacterWidth.of(self) > columns else { return String(self) }
        var words: Substring = ""
        for end in indices.filter({ self[$0] == " " }) {
            let start = self[..<end].trimmed(",;: ")
            guard CharacterWidth.of(start) < columns else { break }
            words = Substring(start)
        }
        let empty = columns - CharacterWidth.of(words)
        guard columns > 0, empty * 2 <= columns, empty <= Swift.max(12, columns / 4) else {
            return columns > 0 ? String(self).fitting(columns, glyphs) : ""
        }
        return words + String(Character(glyphs[.ellipsis]))
    }

    /// Without characters of `set` at its end.
    private func trimmed(_ set: String) -> SubSequence {
        self[..<(lastIndex { !set.contains($0) }.map(index(after:)) ?? startIndex)]
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
        String(text(nanoseconds).dropLast(2)) + String(nanoseconds / 1000 % 1_000_000, digits: 6)
    }

    /// `00:12.481`.
    static func milliseconds(_ nanoseconds: UInt64) -> String { String(precise(nanoseconds).dropLast(3)) }

    private static func two(_ number: UInt64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
