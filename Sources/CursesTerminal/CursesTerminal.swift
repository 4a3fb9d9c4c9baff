import CCurses
import TerminalCanvas

/// The terminal that the process runs in, driven through ncurses; the only such driver, and one at a time in a process.
///
/// Opening it also takes the process' signals: the terminal is given back as it was on every way out, be it `close()`, `exit`, a signal or a trap, and the
/// previous handlers then do as they would have. Control-Z stops and continues as in any program.
///
/// For one thread, from opening to closing. Signals may arrive on any.
package final class CursesTerminal: TerminalDriver {
    package private(set) var size: Size
    package let capabilities: TerminalCapabilities

    var palette: Palette
    /// What the terminal shows; nil when it has to be painted whole.
    var shown: Canvas?
    /// Cells on their way to curses, kept to save the allocation.
    var line: [hop_cell] = []
    /// What has arrived of a paste that has not ended.
    var pasted: String.UnicodeScalarView?
    private(set) var isOpen = true
    private(set) var isSuspended = false

    /// Takes the terminal of two file descriptors, which stay open and the caller's.
    ///
    /// Sets the process' `LC_CTYPE` from the environment: curses takes from it whether the terminal reads UTF-8.
    package init(input: Int32 = 0, output: Int32 = 1) throws(TerminalUnavailable) {
        let name = String(cString: hop_screen_terminal_name())
        switch hop_screen_open(input, output) {
        case .HOP_OPENED: break
        case .HOP_ALREADY_OPEN: throw .alreadyOpen
        case .HOP_NOT_A_TERMINAL: throw .notATerminal
        case .HOP_NAMELESS: throw .nameless
        case .HOP_UNKNOWN: throw .unknown(name: name)
        case .HOP_NO_CURSOR_ADDRESSING: throw .noCursorAddressing(name: name)
        case .HOP_SYSTEM_ERROR: throw .refused
        }
        capabilities = Self.examine()
        if capabilities.colours > .none { hop_screen_start_colours() }
        palette = Palette(colours: capabilities.colours, theme: .automatic)
        size = Self.measure()
    }

    deinit {
        close()
    }

    package func suspend() {
        guard isOpen, !isSuspended else { return }
        hop_screen_leave()
        isSuspended = true
    }

    package func resume() {
        guard isOpen, isSuspended else { return }
        isSuspended = false
        enterAgain()
    }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        hop_screen_close()
    }

    /// Takes the terminal after somebody else had it, and paints what was drawn last. The size may be another one.
    func enterAgain() {
        hop_screen_enter()
        adoptSize()
    }

    /// Measures the terminal and paints anew what was drawn last; true when the size is another one.
    @discardableResult
    func adoptSize() -> Bool {
        let before = size
        size = Self.measure()
        repaint()
        return size != before
    }

    private static func measure() -> Size {
        Size(columns: Int(hop_screen_columns()), rows: Int(hop_screen_rows()))
    }

    private static func examine() -> TerminalCapabilities {
        let colours: TerminalCapabilities.Colours =
            switch hop_screen_refuses_colour() ? 0 : hop_screen_colours() {
            case 256...: .twoHundredFiftySix
            case 16...: .sixteen
            case 8...: .eight
            default: .none
            }
        return TerminalCapabilities(colours: colours, glyphs: hop_screen_is_utf8() ? .unicode : .ascii)
    }
}
