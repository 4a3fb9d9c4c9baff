import TerminalCanvas

/// A terminal in memory: plays inputs in order and keeps the last canvas.
package final class ScriptedTerminal: TerminalDriver {
    package private(set) var size: Size
    package let capabilities: TerminalCapabilities
    /// The remaining inputs; after the last one, `none`.
    package var inputs: [TerminalInput]
    /// The last canvas shown; nil before the first.
    package private(set) var shown: Canvas?
    package private(set) var frames = 0
    package private(set) var theme = Theme.automatic
    /// The text copied last.
    package private(set) var clipboard: String?
    package private(set) var isSuspended = false
    package private(set) var isClosed = false

    package init(
        size: Size, inputs: [TerminalInput] = [],
        capabilities: TerminalCapabilities = TerminalCapabilities(colours: .twoHundredFiftySix, glyphs: .unicode)
    ) {
        self.size = size
        self.inputs = inputs
        self.capabilities = capabilities
    }

    package func draw(_ canvas: Canvas) {
        guard !isClosed, !isSuspended else { return }
        shown = canvas
        frames += 1
    }

    /// The next of `inputs`, without waiting. A `resize` also changes `size`.
    package func nextInput(timeoutMilliseconds: Int?) -> TerminalInput {
        guard !isClosed else { return .hangUp }
        guard !inputs.isEmpty else { return .none }
        let input = inputs.removeFirst()
        if case .resize(let size) = input { self.size = size }
        return input
    }

    package func suspend() {
        isSuspended = true
    }

    package func resume() {
        isSuspended = false
    }

    package func use(_ theme: Theme) {
        self.theme = theme
    }

    package func copy(_ text: String) {
        clipboard = text
    }

    package func close() {
        isClosed = true
    }
}
