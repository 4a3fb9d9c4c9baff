import Foundation
import TaskEvents
import TraceAnalysis

/// A progress line on standard error for slow work. It disappears when the work is done.
///
/// It appears after half a second, and only if standard error is a terminal. One thread uses it.
final class ProgressLine {
    /// A description of the work, such as `Reading run.hop`.
    private let work: String
    private let isSeen: Bool
    private let time: TimeSource
    private var next: UInt64
    private var isShown = false

    private static let patience: UInt64 = 500_000_000
    private static let pause: UInt64 = 100_000_000

    /// Pass `isQuiet` for work that shows its own progress, such as output to a terminal.
    init(_ work: String, isQuiet: Bool = false, _ time: TimeSource) {
        self.work = work
        isSeen = !isQuiet && isatty(STDERR_FILENO) == 1
        self.time = time
        next = time.now + Self.patience
    }

    deinit { end() }

    /// Shows the progress. Cheap to call often: evaluates `words` only when it shows them.
    func show(_ words: @autoclosure () -> String) {
        guard isSeen, time.now >= next else { return }
        next = time.now + Self.pause
        isShown = true
        write("\r\u{1B}[K\(work): \(words())")
    }

    /// Shows the progress before a step that can take long.
    func showNow(_ words: @autoclosure () -> String) {
        guard isSeen else { return }
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
