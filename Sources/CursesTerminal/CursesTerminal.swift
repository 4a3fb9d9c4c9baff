import CCurses
import TerminalCanvas

/// The process's terminal, driven through ncurses. A process can open only one at a time.
///
/// Opening it also installs signal handlers. The terminal is restored however the process ends: `close()`, `exit`, a signal or a trap;
/// the previous handlers then run. Control-Z stops and continues the process as usual.
///
/// One thread uses it from opening to closing. Signals can arrive on any thread.
package final class CursesTerminal: TerminalDriver {
    package private(set) var size: Size
    package let capabilities: TerminalCapabilities

    var palette: Palette
    /// The theme that the user chose.
    var chosenTheme = Theme.automatic
    /// The theme in use, decided.
    var theme: Theme
    /// The colour of the terminal's ground. Nil if it has not been asked for, or if the terminal has not answered.
    var ground: GroundColour?
    /// Whether the terminal has been asked for its ground, and whether answers may still come.
    var hasAsked = false
    var isAnswerDue = false
    /// Inputs that came while an answer was awaited.
    var inputsAhead: [TerminalInput] = []
    /// The canvas on the terminal. Nil if every cell must be painted.
    var shown: Canvas?
    /// A buffer for one run of cells, reused to avoid an allocation per run.
    var line: [curses_cell] = []
    /// The text so far of an unfinished paste.
    var pasted: [Unicode.Scalar]?
    private(set) var isOpen = true
    private(set) var isSuspended = false

    /// Takes over the terminal behind two file descriptors, which stay open and belong to the caller.
    ///
    /// Sets the process's `LC_CTYPE` from the environment, from which curses learns whether the terminal reads UTF-8.
    package init(input: Int32 = 0, output: Int32 = 1) throws(TerminalUnavailable) {
        let name = String(cString: curses_screen_terminal_name())
        switch curses_screen_open(input, output) {
        case .CURSES_OPENED: break
        case .CURSES_ALREADY_OPEN: throw .alreadyOpen
        case .CURSES_NOT_A_TERMINAL: throw .notATerminal
        case .CURSES_NAMELESS: throw .nameless
        case .CURSES_UNKNOWN: throw .unknown(name: name)
        case .CURSES_NO_CURSOR_ADDRESSING: throw .noCursorAddressing(name: name)
        case .CURSES_SYSTEM_ERROR: throw .refused
        }
        capabilities = Self.examine()
        if capabilities.colours > .none { curses_screen_start_colours() }
        theme = Self.decided(.automatic, nil)
        palette = Palette(colours: capabilities.colours, theme: theme)
        size = Self.measure()
    }

    deinit {
        close()
    }

    package func suspend() {
        guard isOpen, !isSuspended else { return }
        curses_screen_leave()
        isSuspended = true
    }

    package func resume() {
        guard isOpen, isSuspended else { return }
        isSuspended = false
        enterAgain()
    }

    package func close() {
        guard isOpen else { return }
        // An answer that came later would be typed into the shell.
        if !isSuspended { awaitAnswer() }
        isOpen = false
        curses_screen_close()
    }

    /// Takes the terminal again, adopts its size and paints the last drawn canvas.
    func enterAgain() {
        curses_screen_enter()
        adoptSize()
    }

    /// Adopts the terminal's size and paints the last drawn canvas. Returns true if the size changed.
    @discardableResult
    func adoptSize() -> Bool {
        let before = size
        size = Self.measure()
        repaint()
        return size != before
    }

    static func decided(_ theme: Theme, _ ground: GroundColour?) -> Theme {
        theme.decided(by: String(cString: curses_screen_colour_hint()), answer: ground)
    }

    private static func measure() -> Size {
        Size(columns: Int(curses_screen_columns()), rows: Int(curses_screen_rows()))
    }

    private static func examine() -> TerminalCapabilities {
        let colours: TerminalCapabilities.Colours =
            switch curses_screen_refuses_colour() ? 0 : curses_screen_colours() {
            case _ where curses_screen_has_direct_colours(): .direct
            case 256...: .twoHundredFiftySix
            case 16...: .sixteen
            case 8...: .eight
            default: .none
            }
        return TerminalCapabilities(colours: colours, glyphs: curses_screen_is_utf8() ? .unicode : .ascii)
    }
}
