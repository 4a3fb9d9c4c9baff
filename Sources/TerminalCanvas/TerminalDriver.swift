/// The colours and glyphs that a terminal can show.
package struct TerminalCapabilities: Hashable, Sendable {
    /// The number of colours.
    package enum Colours: Int, Comparable, Sendable {
        case none = 0
        case eight = 8
        case sixteen = 16
        case twoHundredFiftySix = 256
        /// Any colour of eight bits a part.
        case direct = 16_777_216

        package static func < (left: Colours, right: Colours) -> Bool { left.rawValue < right.rawValue }
    }

    package var colours: Colours
    package var glyphs: GlyphSet

    package init(colours: Colours, glyphs: GlyphSet) {
        self.colours = colours
        self.glyphs = glyphs
    }
}

/// A terminal: shows canvases and delivers input. Tests use a driver in memory.
///
/// Only one thread may use a driver, so it is not `Sendable`.
package protocol TerminalDriver: AnyObject {
    var size: Size { get }
    var capabilities: TerminalCapabilities { get }

    /// Shows the canvas. Cuts a canvas that is larger than the terminal; a smaller one leaves the rest blank.
    func draw(_ canvas: Canvas)

    /// Waits for the next input for at most the timeout; nil waits without limit and 0 does not wait. May return `none` early.
    func nextInput(timeoutMilliseconds: Int?) -> TerminalInput

    /// Restores the terminal for other programs until `resume()`.
    func suspend()

    /// Takes the terminal again and shows the canvas drawn last.
    func resume()

    /// Changes the theme and repaints.
    func use(_ theme: Theme)

    /// Puts a text on the user's clipboard if the terminal permits it.
    func copy(_ text: String)

    /// Restores the terminal for good. From then on drawing has no effect and the input is `hangUp`. A second call does nothing.
    func close()
}

extension TerminalDriver {
    /// An empty canvas that fits this terminal.
    package func makeCanvas() -> Canvas {
        Canvas(size: size, glyphs: capabilities.glyphs)
    }
}
