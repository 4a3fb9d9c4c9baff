import CCurses
import TerminalCanvas

/// The maximum number of scalars taken from one paste.
private let longestPaste = 65_536

/// The length of a pause after which a paste counts as ended.
private let pasteMilliseconds: Int32 = 250

extension CursesTerminal {
    package func nextInput(timeoutMilliseconds: Int?) -> TerminalInput {
        guard isOpen else { return .hangUp }
        if let input = takeSignal() { return input }
        if !inputsAhead.isEmpty { return inputsAhead.removeFirst() }
        if let input = takeInput() { return input }
        let timeout = timeoutMilliseconds.map { Int32(clamping: max(0, $0)) }
        repeat {
            switch curses_input_wait(pasted == nil ? timeout ?? -1 : pasteMilliseconds) {
            case .CURSES_WAKE_TIMEOUT:
                if let text = endPaste() { return .paste(text) }
            case .CURSES_WAKE_INPUT, .CURSES_WAKE_SIGNAL:
                if let input = takeSignal() ?? takeInput() { return input }
            case .CURSES_WAKE_HANGUP:
                return .hangUp
            }
        } while timeout == nil
        return .none
    }

    /// Handles the signals that have arrived. Returns the first one that the caller must handle.
    private func takeSignal() -> TerminalInput? {
        while true {
            let signal = curses_signal_take()
            switch signal.kind {
            case .CURSES_SIGNAL_NONE:
                return nil
            case .CURSES_SIGNAL_END:
                return .terminate(signal: signal.number)
            case .CURSES_SIGNAL_RESIZE:
                curses_screen_resize()
                if adoptSize() { return .resize(size) }
            case .CURSES_SIGNAL_STOP:
                if stop() { return .resize(size) }
            case .CURSES_SIGNAL_CONTINUE:
                if enterAfterStop() { return .resize(size) }
            }
        }
    }

    /// Stops the process, and returns after it continues. Returns true if the terminal's size changed meanwhile.
    private func stop() -> Bool {
        if !isSuspended { curses_screen_leave() }
        curses_signal_stop_process()
        return enterAfterStop()
    }

    private func enterAfterStop() -> Bool {
        guard !isSuspended else { return false }
        let before = size
        enterAgain()
        return size != before
    }

    /// The next input that the caller must handle. Nil if none has arrived.
    func takeInput() -> TerminalInput? {
        guard !isSuspended else { return nil }
        while true {
            let input = curses_input_next()
            switch input.kind {
            case .CURSES_INPUT_NONE:
                return nil
            case .CURSES_INPUT_CHARACTER:
                guard let scalar = Unicode.Scalar(input.character) else { continue }
                if pasted != nil {
                    paste(scalar)
                } else if let input = act(on: Key(received: scalar)) {
                    return input
                }
            case .CURSES_INPUT_KEY:
                return .key(Key(input.key))
            case .CURSES_INPUT_FUNCTION_KEY:
                return .key(.function(Int(input.function_key)))
            case .CURSES_INPUT_MOUSE:
                let mouse = Mouse(
                    code: Int(input.mouse_code), column: Int(input.mouse_column), row: Int(input.mouse_row), isRelease: input.mouse_released
                )
                if let mouse { return .mouse(mouse) }
            case .CURSES_INPUT_PASTE_BEGIN:
                pasted = []
            case .CURSES_INPUT_PASTE_END:
                if let text = endPaste() { return .paste(text) }
            case .CURSES_INPUT_GROUND:
                take(answer: withUnsafeBytes(of: input.answer) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
            case .CURSES_INPUT_ATTRIBUTES:
                isAnswerDue = false
            }
        }
    }

    /// Handles the keys that mean the same in every terminal program.
    private func act(on key: Key) -> TerminalInput? {
        if key == .control("c") { return .interrupt }
        if key == .control("z") {
            curses_signal_stop_group()
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
        return pasted.map { String(String.UnicodeScalarView($0)) }
    }
}

extension Key {
    fileprivate init(_ key: curses_key) {
        self =
            switch key {
            case .CURSES_KEY_UP: .up
            case .CURSES_KEY_DOWN: .down
            case .CURSES_KEY_LEFT: .left
            case .CURSES_KEY_RIGHT: .right
            case .CURSES_KEY_HOME: .home
            case .CURSES_KEY_END: .end
            case .CURSES_KEY_PAGE_UP: .pageUp
            case .CURSES_KEY_PAGE_DOWN: .pageDown
            case .CURSES_KEY_ENTER: .enter
            case .CURSES_KEY_BACK_TAB: .backTab
            case .CURSES_KEY_BACKSPACE: .backspace
            case .CURSES_KEY_DELETE: .delete
            case .CURSES_KEY_INSERT: .insert
            }
    }
}
