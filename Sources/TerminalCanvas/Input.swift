/// A key, independent of the bytes that a terminal sends for it.
package enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown
    case enter, escape, tab, backTab, backspace, delete, insert
    /// `F1` is `function(1)`.
    case function(Int)
    /// A character with Control held, as the lower-case letter: Control-R is `control("r")`.
    case control(Character)
}

extension Key {
    /// The key for a character that a terminal in raw mode sends. Control characters are named keys, or letters with Control held.
    package init(received scalar: Unicode.Scalar) {
        self =
            switch scalar.value {
            case 0x09: .tab
            case 0x0A, 0x0D: .enter
            case 0x1B: .escape
            case 0x08, 0x7F: .backspace
            case 0x00: .control(" ")
            case 0x01...0x1A: .control(Character(Unicode.Scalar(UInt8(scalar.value) + 0x60)))
            case 0x1C...0x1F: .control(Character(Unicode.Scalar(UInt8(scalar.value) + 0x40)))
            default: .character(Character(scalar))
            }
    }
}

/// A mouse action over a cell.
package struct Mouse: Hashable, Sendable {
    package enum Button: Hashable, Sendable { case left, middle, right }

    package enum Action: Hashable, Sendable {
        case press(Button)
        case release(Button)
        /// The mouse moves while the left button is down.
        case drag
        case wheelUp, wheelDown
    }

    package var action: Action
    package var point: Point

    package init(_ action: Action, at point: Point) {
        self.action = action
        self.point = point
    }
}

extension Mouse {
    /// Reads a report in xterm's mode 1006: `ESC [ < code ; column ; row` and `M` or, for a release, `m`. Columns and rows count from 1.
    ///
    /// Ignores modifier keys. Nil for motion without the left button, horizontal wheels and further buttons.
    /// Source: "Extended coordinates" in xterm's control sequences.
    package init?(code: Int, column: Int, row: Int, isRelease: Bool) {
        let action: Action
        switch (code & ~0b11100, isRelease) {
        case (0, false): action = .press(.left)
        case (1, false): action = .press(.middle)
        case (2, false): action = .press(.right)
        case (0, true): action = .release(.left)
        case (1, true): action = .release(.middle)
        case (2, true): action = .release(.right)
        case (32, false): action = .drag
        case (64, false): action = .wheelUp
        case (65, false): action = .wheelDown
        default: return nil
        }
        guard column > 0, row > 0 else { return nil }
        self.init(action, at: Point(column: column - 1, row: row - 1))
    }
}

/// An input from a terminal.
package enum TerminalInput: Hashable, Sendable {
    case key(Key)
    case mouse(Mouse)
    /// A pasted text. It is never interpreted as keys.
    case paste(String)
    /// The terminal has a new size and needs a new frame.
    case resize(Size)
    /// A signal that asks the program to end.
    case terminate(signal: Int32)
    /// No input came in time.
    case none

    /// SIGINT's number.
    package static let interruptSignal: Int32 = 2
    /// The user pressed Control-C.
    package static let interrupt = TerminalInput.terminate(signal: interruptSignal)
    /// The terminal was closed.
    package static let hangUp = TerminalInput.terminate(signal: 1)
}
