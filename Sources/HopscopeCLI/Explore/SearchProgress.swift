import Foundation
import TaskEvents
import TraceAnalysis

/// What a search has done so far.
struct SearchState {
    enum Phase: Equatable {
        case searching
        /// An order has failed; it is replayed, and choices that it does not need are left out.
        case shortening(choices: Int)
    }

    var phase = Phase.searching
    var program = ""
    var orders = 0
    /// The orders that have been run, the replays included.
    var runs = 0
    var choices = 0
    var failures = 0
    var unconfirmed = 0
}

/// Shows the progress of a search on the terminal, in lines that disappear at its end, and notes Ctrl-C. One thread uses it.
final class SearchProgress {
    private let settings: OrderSettings
    private let most: (orders: Int, seconds: UInt64)
    private let time: TimeSource
    private let start: UInt64
    private let signals: SignalWait?
    private var next: UInt64 = 0
    private var shownLines = 0
    /// The signal that the user has ended the search with.
    private(set) var signal: Int32?

    private static let pause: UInt64 = 100_000_000

    /// - Parameter isShown: whether the terminal shows it. Otherwise nothing is written, and signals end the command as they usually do.
    init(isShown: Bool, _ settings: OrderSettings, most: (orders: Int, seconds: UInt64), _ time: TimeSource) {
        (self.settings, self.most, self.time) = (settings, most, time)
        start = time.now
        signals = isShown ? SignalWait([SIGINT, SIGTERM, SIGHUP]) : nil
    }

    /// Whether the user has ended the search.
    var isStopped: Bool {
        if signal == nil { signal = signals?.next(milliseconds: 0)?.number }
        return signal != nil
    }

    func show(_ state: SearchState) {
        guard signals != nil, time.now >= next else { return }
        next = time.now + Self.pause
        let lines = lines(state)
        let up = shownLines > 0 ? "\u{1B}[\(shownLines)A" : ""
        StandardError.write("\r\(up)" + lines.map { "\($0)\u{1B}[K\n" }.joined())
        shownLines = lines.count
    }

    /// Removes the lines. Signals again do what they usually do.
    func end() {
        if shownLines > 0 { StandardError.write("\r\u{1B}[\(shownLines)A\u{1B}[J") }
        shownLines = 0
        signals?.end()
    }

    private var columns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// The lines for a state: what is explored, how far it is, and the counts. A narrow terminal has them cut.
    private func lines(_ state: SearchState) -> [String] {
        let isUnicode = StandardOutput.showsUnicode
        let separator = isUnicode ? " · " : ", "
        let elapsed = time.now - start
        let seconds = elapsed / 1_000_000_000
        let parts = [Double(state.orders) / Double(max(1, most.orders)), Double(seconds) / Double(max(1, most.seconds))]
        let width = max(10, min(40, columns - 50))
        let full = min(width, Int(Double(width) * (parts.max() ?? 0)))
        let bar =
            String(repeating: isUnicode ? "█" : "#", count: full) + String(repeating: isUnicode ? "░" : ".", count: width - full)
        let rate = UInt64(state.runs) * 1_000_000_000 / max(1, elapsed)
        let policy = settings.policy == .pct ? "pct, depth \(settings.depth)" : settings.policy.rawValue
        let phase =
            switch state.phase {
            case .searching: "Ctrl-C stops here."
            case .shortening(let choices): "Order \(CountText.text(state.orders)) fails: \(CountText.text(choices, "choice")) left of it."
            }
        let unconfirmed = state.unconfirmed > 0 ? " (\(CountText.text(state.unconfirmed)) did not come again)" : ""
        let failures = CountText.text(state.failures, "failure") + unconfirmed
        return [
            "Exploring \(state.program)  \(phase)",
            "\(bar)  \(CountText.text(state.orders)) of \(CountText.text(most.orders)) orders, \(seconds) s of \(most.seconds) s",
            [
                "\(CountText.text(Int(rate), "order")) a second", CountText.text(state.choices, "choice"), failures, policy,
            ].joined(separator: separator),
        ].map { String($0.prefix(columns - 1)) }
    }
}
