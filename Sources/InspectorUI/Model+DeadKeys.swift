import TerminalCanvas

/// Keys that do nothing: the footer says why.
extension Model {
    /// Presses a key. If that changes nothing that can be seen, and nothing has said why, a notice says so.
    mutating func pressAndTell(_ key: Key) -> [Effect] {
        shared.notice = nil
        shared.stepping = nil
        // Only the last frame can be compared with. After an earlier key, or after events, it shows another state.
        let reason = arrangement == .framed ? KeyTable.row(for: key, in: mode).flatMap { explanation(of: $0) } : nil
        let before = reason.map { _ in (picture: picture, row: screens[shown].rowAhead) }
        let effects = press(key)
        settle()
        guard let reason, let before, shared.notice == nil, effects.allSatisfy(\.isUnseen) else { return effects }
        // Several keys before a frame move a long list's time cursor once, so that it need not be laid out for each of them.
        guard !overlays.isEmpty || screens[shown].rowAhead == before.row else { return effects }
        arrange(at: time)
        if shared.notice == nil, isUnchanged(from: before.picture) { shared.notice = reason }
        return effects
    }

    /// The parts of the frame in which a key's effect is seen.
    private var picture: Canvas {
        var canvas = Canvas(size: size, glyphs: glyphs)
        Frame.draw(self, on: &canvas)
        return canvas
    }

    private func isUnchanged(from before: Canvas) -> Bool { before.size == size && picture.changes(from: before).isEmpty }

    /// The notice if a key has changed nothing. Nil for commands that always change something or say why they did not.
    private func explanation(of row: KeyRow) -> String? {
        switch row.command {
        case .move(.up), .move(.pageUp), .move(.first): "There is nothing above."
        case .move(.down), .move(.pageDown), .move(.last), .latest: "There is nothing below."
        case .move(.left): "There is nothing further to the left."
        case .move(.right): "There is nothing further to the right."
        case .open: "There is nothing here to open."
        case .back: "There is nothing to go back from; q quits."
        case .go, .nextScreen, .previousScreen: "This screen is shown already."
        case .screen, .shared: "Nothing changes: \(help(of: row))."
        case .palette, .choose, .erase, .help, .copy, .search, .explainWait: nil
        }
    }

    /// The help of a row, which may stand at another row with the same keys.
    private func help(of row: KeyRow) -> String {
        guard row.help.isEmpty else { return row.help }
        return KeyTable.rows(in: mode).first { $0.shown == row.shown && !$0.help.isEmpty }?.help ?? row.shown
    }
}

extension Effect {
    /// Whether it changes nothing that the user notices.
    fileprivate var isUnseen: Bool {
        switch self {
        case .save: true
        case .quit, .repaint, .control, .type, .resizeOutput, .watch, .use, .copy: false
        }
    }
}
