import Foundation

/// A line on standard error that says how far something is that takes long. It is there while it is true, and only where somebody sees it.
///
/// Nothing is written before half a second has gone by, nor where standard error is no terminal. It belongs to one thread.
final class ProgressLine {
    /// What is under way: `Reading run.hop`.
    private let work: String
    private let isSeen: Bool
    private let clock = ContinuousClock()
    private var next: ContinuousClock.Instant
    private var isShown = false

    private static let patience: Duration = .milliseconds(500)
    private static let pause: Duration = .milliseconds(100)

    /// `isQuiet` for what shows its own progress, as output on a terminal does.
    init(_ work: String, isQuiet: Bool = false) {
        self.work = work
        isSeen = !isQuiet && isatty(STDERR_FILENO) == 1
        next = clock.now + Self.patience
    }

    deinit { end() }

    /// Says how far it is. Cheap enough to be called often; the words are asked for only when they are shown.
    func show(_ words: @autoclosure () -> String) {
        guard isSeen, clock.now >= next else { return }
        next = clock.now + Self.pause
        isShown = true
        write("\r\u{1B}[K\(work): \(words())")
    }

    /// Says at once what is under way, for work that says nothing until it is done.
    func announce() {
        guard isSeen else { return }
        isShown = true
        write("\r\u{1B}[K\(work)…")
    }

    /// Takes the line away. Done already, it does nothing.
    func end() {
        guard isShown else { return }
        isShown = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        StandardError.write(text)
    }
}
