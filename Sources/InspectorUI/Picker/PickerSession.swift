import TerminalCanvas

/// Runs the picker: waits for keys, looks again for what there is, and draws after changes. It belongs to the thread that calls it.
package final class PickerSession {
    /// Milliseconds between two looks.
    package static let lookMilliseconds = 2000

    private let terminal: any TerminalDriver
    private let look: () -> PickerContents
    private var picker: Picker
    /// The signal that ended the picker, if any. The caller raises it again after it has closed the terminal.
    package private(set) var endingSignal: Int32?
    private var lookedAt: UInt64?
    private let clock: () -> UInt64

    /// - Parameters:
    ///   - look: what there is to pick from now.
    ///   - clock: the nanoseconds of a monotonic clock.
    package init(terminal: any TerminalDriver, look: @escaping () -> PickerContents, clock: @escaping () -> UInt64) {
        self.terminal = terminal
        self.look = look
        self.clock = clock
        picker = Picker(size: terminal.size, glyphs: terminal.capabilities.glyphs)
    }

    /// Runs until the user has picked something or quits. The caller closes the terminal.
    package func run() -> Picker.Outcome {
        while true {
            if let outcome = turn() { return outcome }
        }
    }

    /// Draws, waits for one input, and handles it.
    package func turn() -> Picker.Outcome? {
        let now = clock()
        if lookedAt.map({ now >= $0 + UInt64(Self.lookMilliseconds) * 1_000_000 }) ?? true {
            lookedAt = now
            picker.take(look())
        }
        var canvas = terminal.makeCanvas()
        picker.draw(on: &canvas)
        terminal.draw(canvas)
        switch terminal.nextInput(timeoutMilliseconds: Self.lookMilliseconds / 4) {
        case .key(let key): return picker.press(key)
        case .mouse(let mouse): return picker.point(mouse)
        case .resize(let size): picker.resize(to: size)
        case .terminate(let signal):
            endingSignal = signal
            return .quit
        case .paste(let text): picker.paste(text)
        case .none: break
        }
        return nil
    }
}
