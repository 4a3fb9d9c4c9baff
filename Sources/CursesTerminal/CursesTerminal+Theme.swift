import CCurses
import TerminalCanvas

extension CursesTerminal {
    /// The longest wait for an answer, in milliseconds. A later answer changes the theme when it comes.
    private static let patience: Int32 = 100

    package func use(_ theme: Theme) {
        guard isOpen else { return }
        chosenTheme = theme
        if theme == .automatic, capabilities.colours > .none, !hasAsked, !isSuspended {
            hasAsked = true
            isAnswerDue = curses_screen_ask_ground()
            awaitAnswer()
        }
        adoptTheme()
    }

    /// Adopts the colour of the terminal's ground.
    func take(answer: String) {
        guard let colour = GroundColour(answer: answer) else { return }
        ground = colour
        adoptTheme()
    }

    private func adoptTheme() {
        let theme = Self.decided(chosenTheme, ground)
        guard theme != self.theme else { return }
        self.theme = theme
        palette = Palette(colours: capabilities.colours, theme: theme)
        repaint()
    }

    /// Waits until the terminal has answered, but not for long. Keys that come meanwhile are kept.
    func awaitAnswer() {
        var left = Self.patience
        // A wait ends early with each key, so keys shorten the whole wait.
        while isAnswerDue, left > 0 {
            switch curses_input_wait(min(left, 10)) {
            case .CURSES_WAKE_TIMEOUT: break
            case .CURSES_WAKE_INPUT: if let input = takeInput() { inputsAhead.append(input) }
            case .CURSES_WAKE_SIGNAL, .CURSES_WAKE_HANGUP: return
            }
            left -= 10
        }
    }
}
