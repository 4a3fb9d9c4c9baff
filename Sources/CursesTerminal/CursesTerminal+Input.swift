import CCurses
import TerminalCanvas

/// Pastes longer than this are cut: nothing here takes a book.
private let longestPaste = 65_536

/// How long the end of a paste may be overdue.
private let pasteMilliseconds: Int32 = 250

extension CursesTerminal {
    package func nextInput(timeoutMilliseconds: Int?) -> TerminalInput {
        guard isOpen else { return .hangUp }
        if let input = takeSignal() ?? takeInput() { return input }
        let timeout = timeoutMilliseconds.map { Int32(clamping: max(0, $0)) }
        repeat {
            switch hop_input_wait(pasted == nil ? timeout ?? -1 : pasteMilliseconds) {
            case .HOP_WAKE_TIMEOUT:
                if let text = endPaste() { return .paste(text) }
            case .HOP_WAKE_INPUT, .HOP_WAKE_SIGNAL:
                if let input = takeSignal() ?? takeInput() { return input }
            case .HOP_WAKE_HANGUP:
                return .hangUp
            }
        } while timeout == nil
        return .none
    }

    /// Acts on the signals that arrived; what the caller has to hear of is the result.
    private func takeSignal() -> TerminalInput? {
        while true {
            let signal = hop_signal_take()
            switch signal.kind {
            case .HOP_SIGNAL_NONE:
                return nil
            case .HOP_SIGNAL_END:
                return .terminate(signal: signal.number)
            case .HOP_SIGNAL_RESIZE:
                hop_screen_resize()
                if adoptSize() { return .resize(size) }
            case .HOP_SIGNAL_STOP:
                if stop() { return .resize(size) }
            case .HOP_SIGNAL_CONTINUE:
                if enterAfterStop() { return .resize(size) }
            }
        }
    }

    /// Gives the terminal to the shell until the process is continued; true when the terminal has another size by then.
    private func stop() -> Bool {
        if !isSuspended { hop_screen_leave() }
        hop_signal_stop_process()
        return enterAfterStop()
    }

    private func enterAfterStop() -> Bool {
        guard !isSuspended else { return false }
        let before = size
        enterAgain()
        return size != before
    }

    /// The next of what was typed; nil when there is nothing more, or nothing that the caller has to hear of.
    private func takeInput() -> TerminalInput? {
        guard !isSuspended else { return nil }
        while true {
            let input = hop_input_next()
            switch input.kind {
            case .HOP_INPUT_NONE:
                return nil
            case .HOP_INPUT_CHARACTER:
                guard let scalar = Unicode.Scalar(input.character) else { continue }
                if pasted != nil {
                    paste(scalar)
                } else if let input = act(on: Key(received: scalar)) {
                    return input
                }
            case .HOP_INPUT_KEY:
                return .key(Key(input.key))
            case .HOP_INPUT_FUNCTION_KEY:
                return .key(.function(Int(input.function_key)))
            case .HOP_INPUT_MOUSE:
                let mouse = Mouse(
                    code: Int(input.mouse_code), column: Int(input.mouse_column), row: Int(input.mouse_row), isRelease: input.mouse_released
                )
                if let mouse { return .mouse(mouse) }
            case .HOP_INPUT_PASTE_BEGIN:
                pasted = String.UnicodeScalarView()
            case .HOP_INPUT_PASTE_END:
                if let text = endPaste() { return .paste(text) }
            }
        }
    }

    /// The keys that mean the same in every program of a terminal.
    private func act(on key: Key) -> TerminalInput? {
        if key == .control("c") { return .interrupt }
        if key == .control("z") {
            hop_signal_stop_group()
            return takeSignal()
        }
        if key == .control("l") {
            repaint()
            return nil
        }
        return .key(key)
    }

    private func paste(_ scalar: Unicode.Scalar) {
        guard pasted?.count ?? 0 < longestPaste else { return }
        pasted?.append(scalar == "\r" ? "\n" : scalar)
    }

    private func endPaste() -> String? {
        defer { pasted = nil }
        return pasted.map(String.init)
    }
}

extension Key {
    fileprivate init(_ key: hop_key) {
        self =
            switch key {
            case .HOP_KEY_UP: .up
            case .HOP_KEY_DOWN: .down
            case .HOP_KEY_LEFT: .left
            case .HOP_KEY_RIGHT: .right
            case .HOP_KEY_HOME: .home
            case .HOP_KEY_END: .end
            case .HOP_KEY_PAGE_UP: .pageUp
            case .HOP_KEY_PAGE_DOWN: .pageDown
            case .HOP_KEY_ENTER: .enter
            case .HOP_KEY_BACK_TAB: .backTab
            case .HOP_KEY_BACKSPACE: .backspace
            case .HOP_KEY_DELETE: .delete
            case .HOP_KEY_INSERT: .insert
            }
    }
}
