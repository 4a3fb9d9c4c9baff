import TerminalCanvas

/// The program's output in lines, as on a terminal that only scrolls.
///
/// A carriage return goes back to the line's beginning, as in progress bars. A tab goes to the next multiple of eight columns. Sequences
/// that erase the line or move along it are obeyed. All other control sequences, including colours, are dropped. The text is bounded: the
/// oldest lines are dropped first, and counted.
struct PrintedText {
    struct Line: Hashable {
        var text: String
        /// The time of the line's latest piece, in nanoseconds of the trace.
        var time: UInt64
    }

    /// The length at which a line is broken, in characters.
    static let longestLine = 4096
    /// The limits for the number of lines and for the characters of all lines together.
    static let lineLimit = 20_000
    static let characterLimit = 4 << 20

    /// All lines; the last one is still growing.
    private(set) var lines = [Line(text: "", time: 0)]
    /// The number of lines dropped from the beginning.
    private(set) var droppedCount = 0
    /// The column in the last line where the next character goes.
    private(set) var cursor = 0

    private var current: [Character] = []
    private var characterCount = 0
    private var decoder = UTF8Pieces()
    private var escape = EscapeSequence()

    mutating func append(_ bytes: [UInt8], at time: UInt64) {
        for scalar in decoder.scalars(of: bytes) {
            switch escape.take(scalar) {
            case .none: break
            case .text: print(scalar, at: time)
            case .eraseToEnd: current.removeSubrange(min(cursor, current.count)...)
            case .eraseLine: current.removeAll()
            case .column(let column): cursor = column
            case .moveBy(let columns): cursor += columns
            }
            cursor = max(0, min(cursor, Self.longestLine - 1))
        }
        lines[lines.count - 1] = Line(text: String(current), time: time)
        trim()
    }

    /// Drops the times of all lines, because another process's trace is shown.
    mutating func forgetTimes() {
        for index in lines.indices { lines[index].time = 0 }
    }

    private mutating func print(_ scalar: Unicode.Scalar, at time: UInt64) {
        switch scalar {
        case "\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": breakLine(at: time)
        case "\r": cursor = 0
        case "\u{8}": cursor -= 1
        case "\t": cursor = (cursor / 8 + 1) * 8
        case _: if scalar.screening == .keep { put(scalar, at: time) }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar, at time: UInt64) {
        if scalar.value >= 0x300, cursor > 0, cursor <= current.count {
            // A combining mark or a joined emoji belongs to the character before it, which keeps as many scalars as a canvas shows.
            let before = current[cursor - 1]
            let joined = String(before) + String(scalar)
            if joined.count == 1 {
                if before.unicodeScalars.count < ClusterTable.longest { current[cursor - 1] = Character(joined) }
                return
            }
        }
        while current.count < cursor { current.append(" ") }
        if cursor < current.count { current[cursor] = Character(scalar) } else { current.append(Character(scalar)) }
        cursor += 1
        if cursor >= Self.longestLine { breakLine(at: time) }
    }

    private mutating func breakLine(at time: UInt64) {
        lines[lines.count - 1] = Line(text: String(current), time: time)
        characterCount += current.count
        lines.append(Line(text: "", time: time))
        current.removeAll(keepingCapacity: true)
        cursor = 0
    }

    /// Drops an eighth at once, so that trimming is rare.
    private mutating func trim() {
        while lines.count > Self.lineLimit || characterCount > Self.characterLimit, lines.count > 1 {
            let count = max(1, min(lines.count - 1, lines.count / 8))
            characterCount -= lines.prefix(count).reduce(0) { $0 + $1.text.count }
            lines.removeFirst(count)
            droppedCount += count
        }
    }
}

/// Decodes UTF-8 that arrives in pieces; a piece may end inside a character.
private struct UTF8Pieces {
    private var rest: [UInt8] = []

    mutating func scalars(of bytes: [UInt8]) -> String.UnicodeScalarView {
        let all = rest + bytes
        let incomplete = Self.incompleteTail(of: all)
        rest = Array(all.suffix(incomplete))
        return String(decoding: all.dropLast(incomplete), as: UTF8.self).unicodeScalars
    }

    /// The number of bytes at the end that begin an incomplete scalar.
    private static func incompleteTail(of bytes: [UInt8]) -> Int {
        for (count, byte) in bytes.suffix(3).reversed().enumerated() {
            switch byte {
            case 0x80..<0xC0: continue
            case 0xC0..<0xE0: return count < 1 ? count + 1 : 0
            case 0xE0..<0xF0: return count < 2 ? count + 1 : 0
            case 0xF0..<0xF8: return count < 3 ? count + 1 : 0
            case _: return 0
            }
        }
        return 0
    }
}

/// The state of a control sequence's parser. Source: ECMA-48, and "Control sequences" of xterm.
private struct EscapeSequence {
    enum Meaning {
        /// Part of a sequence; nothing to print.
        case none
        case text
        case eraseToEnd, eraseLine
        case column(Int)
        case moveBy(Int)
    }

    private enum Part {
        case outside, begun, control
        /// One more character follows: the choice of a character set.
        case designator
        /// A string for the terminal, such as its title, up to BEL or ESC \.
        case string, stringEnding
    }

    private var part = Part.outside
    private var number = 0
    private var isPrivate = false

    mutating func take(_ scalar: Unicode.Scalar) -> Meaning {
        switch part {
        case .outside:
            guard scalar == "\u{1B}" else { return .text }
            part = .begun
        case .begun:
            (number, isPrivate) = (0, false)
            switch scalar {
            case "[": part = .control
            case "]", "P", "X", "^", "_": part = .string
            case "(", ")", "*", "+", "#", "%", " ": part = .designator
            case "\u{1B}": break
            case _: part = .outside
            }
        case .designator:
            part = .outside
        case .control:
            return takeControl(scalar)
        case .string:
            if scalar == "\u{7}" { part = .outside } else if scalar == "\u{1B}" { part = .stringEnding }
        case .stringEnding:
            part = scalar == "\\" ? .outside : .string
        }
        return .none
    }

    private mutating func takeControl(_ scalar: Unicode.Scalar) -> Meaning {
        switch scalar.value {
        case 0x30...0x39: number = min(9999, number * 10 + Int(scalar.value - 0x30))
        case 0x20...0x2F, 0x3A...0x3F: isPrivate = true
        case 0x40...0x7E:
            part = .outside
            return isPrivate ? .none : meaning(of: scalar)
        case 0x1B: part = .begun
        case _: part = .outside
        }
        return .none
    }

    private func meaning(of final: Unicode.Scalar) -> Meaning {
        switch final {
        case "K": number == 0 ? .eraseToEnd : number == 2 ? .eraseLine : .none
        case "G": .column(max(1, number) - 1)
        case "C": .moveBy(max(1, number))
        case "D": .moveBy(-max(1, number))
        case _: .none
        }
    }
}
