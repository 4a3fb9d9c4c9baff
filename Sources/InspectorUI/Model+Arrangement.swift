/// Inputs that come before the next frame.
extension Model {
    /// How far the screens are from what the next frame shows.
    enum Arrangement {
        /// As the last frame.
        case framed
        /// Only movements have come since.
        case moved
        case stale
    }

    /// Before a key or the mouse, derives what a frame would show, if something has changed since the last frame. Otherwise the key would meet
    /// rows of the last frame beside a list that an earlier key has changed.
    ///
    /// Typed letters meet no rows, and a movement follows another without a frame, so thousands of either cost little.
    mutating func arrange(before message: Message) {
        switch message {
        case .key(let key):
            guard arrangement != .framed, let row = KeyTable.row(for: key, in: mode) else { return }
            if arrangement == .moved, row.isVerticalMovement { return }
        case .mouse:
            guard arrangement != .framed else { return }
        case _: return
        }
        arrange(at: time)
        settle()
    }

    /// To be called when a message has been handled, with the input mode in which it arrived.
    mutating func noteArrangement(after message: Message, in mode: KeyMode) {
        switch message {
        case .frame: arrangement = .framed
        case .key(let key) where KeyTable.row(for: key, in: mode)?.isVerticalMovement == true: arrangement = .moved
        case _: arrangement = .stale
        }
    }
}

extension KeyRow {
    /// Whether the key only selects another row.
    fileprivate var isVerticalMovement: Bool {
        guard case .move(let movement) = command else { return false }
        switch movement {
        case .up, .down, .pageUp, .pageDown: return true
        case .left, .right, .first, .last: return false
        }
    }
}
