/// A key, by what it does and not by what the terminal sent for it.
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
    /// The key of a character as a terminal in raw mode sends it: control characters are keys with names, or letters with Control held.
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

/// What a mouse did, and over which cell.
package struct Mouse: Hashable, Sendable {
    package enum Button: Hashable, Sendable { case left, middle, right }

    package enum Action: Hashable, Sendable {
        case press(Button)
        case release(Button)
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
    /// Reads a report as xterm's mode 1006 has it, `ESC [ < code ; column ; row` and `M` or, for a release, `m`; columns and rows count from 1.
    ///
    /// Held modifier keys are not told apart. Nil for what the inspector has no use for: motion, sideways wheels, further buttons.
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
        case (64, false): action = .wheelUp
        case (65, false): action = .wheelDown
        default: return nil
        }
        guard column > 0, row > 0 else { return nil }
        self.init(action, at: Point(column: column - 1, row: row - 1))
    }
}

/// What a terminal had to say.
package enum TerminalInput: Hashable, Sendable {
    case key(Key)
    case mouse(Mouse)
    /// Text pasted as a whole: none of it is a command.
    case paste(String)
    /// The terminal has a new size; what it shows is to be drawn anew.
    case resize(Size)
    /// The program is asked to end, as the signal of this number has it.
    case terminate(signal: Int32)
    /// Nothing came, within the time given at most.
    case none

    /// What Control-C sends.
    package static let interruptSignal: Int32 = 2
    /// The user pressed Control-C.
    package static let interrupt = TerminalInput.terminate(signal: interruptSignal)
    /// The terminal is gone, or was closed.
    package static let hangUp = TerminalInput.terminate(signal: 1)
}
