import Foundation
import TraceAnalysis

/// A progress line on standard error for slow work. It disappears when the work is done.
///
/// It appears after half a second, and only if standard error is a terminal. One thread uses it.
final class ProgressLine {
    /// A description of the work, such as `Reading run.hop`.
    private let work: String
    private let isSeen: Bool
    private let clock = ContinuousClock()
    private var next: ContinuousClock.Instant
    private var isShown = false

    private static let patience: Duration = .milliseconds(500)
    private static let pause: Duration = .milliseconds(100)

    /// Pass `isQuiet` for work that shows its own progress, such as output to a terminal.
    init(_ work: String, isQuiet: Bool = false) {
        self.work = work
        isSeen = !isQuiet && isatty(STDERR_FILENO) == 1
        next = clock.now + Self.patience
    }

    deinit { end() }

    /// Shows the progress. Cheap to call often: evaluates `words` only when it shows them.
    func show(_ words: @autoclosure () -> String) {
        guard isSeen, clock.now >= next else { return }
        next = clock.now + Self.pause
        isShown = true
        write("\r\u{1B}[K\(work): \(words())")
    }

    /// Shows text such as `42 % of 10,000,000 events`.
    func show(event number: Int, of count: Int) {
        show("\(count == 0 ? 100 : number * 100 / count) % of \(CountText.text(count)) events")
    }

    /// Shows the description at once, for work that reports no progress until it is done.
    func announce() {
        guard isSeen else { return }
        isShown = true
        write("\r\u{1B}[K\(work)…")
    }

    /// Removes the line. Further calls have no effect.
    func end() {
        guard isShown else { return }
        isShown = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        StandardError.write(text)
    }
}
