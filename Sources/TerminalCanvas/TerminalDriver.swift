/// What a terminal can show.
package struct TerminalCapabilities: Hashable, Sendable {
    /// How many colours may be told apart.
    package enum Colours: Int, Comparable, Sendable {
        case none = 0
        case eight = 8
        case sixteen = 16
        case twoHundredFiftySix = 256

        package static func < (left: Colours, right: Colours) -> Bool { left.rawValue < right.rawValue }
    }

    package var colours: Colours
    package var glyphs: GlyphSet

    package init(colours: Colours, glyphs: GlyphSet) {
        self.colours = colours
        self.glyphs = glyphs
    }
}

/// A terminal: shows canvases, and says what was typed. All above it is the same with a terminal and without.
///
/// Used by one thread from beginning to end; that is why a driver is not `Sendable`.
package protocol TerminalDriver: AnyObject {
    var size: Size { get }
    var capabilities: TerminalCapabilities { get }

    /// Shows the canvas. One of another size than the terminal's is cut off, or leaves the rest blank.
    func draw(_ canvas: Canvas)

    /// Waits for the next input, for so long at most; nil waits for ever, and 0 only looks. What is no input can end the wait early, with `none`.
    func nextInput(timeoutMilliseconds: Int?) -> TerminalInput

    /// Gives the terminal back as it was, for another program to use, until `resume()`.
    func suspend()

    /// Takes the terminal again, and shows again what was drawn last.
    func resume()

    /// Shows everything in other colours.
    func use(_ theme: Theme)

    /// Puts a text on the user's clipboard, where the terminal lets programs do that.
    func copy(_ text: String)

    /// Gives the terminal back for good. From then on nothing is shown and the input is `hangUp`; closing again does nothing.
    func close()
}

extension TerminalDriver {
    /// An empty canvas that fits this terminal.
    package func makeCanvas() -> Canvas {
        Canvas(size: size, glyphs: capabilities.glyphs)
    }
}
