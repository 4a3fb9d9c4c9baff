import TraceAnalysis
import TraceStore

/// What was read of a trace: its events and the state that they lead to, and what the rules found.
struct TraceReading {
    let history: TraceHistory
    let warnings: WarningList

    /// From so many events on, what is made of them takes long.
    private static let large = 500_000

    /// The state after everything.
    var store: TraceStore { history.latest }

    /// All events, in order; on the way through them the progress line says how far it is.
    func events(_ progress: ProgressLine) -> HistoryEvents { HistoryEvents(history, progress) }

    /// Does what takes long where there is much, and says so meanwhile.
    func announcing<Result>(_ work: String, _ body: () throws -> Result) rethrows -> Result {
        let progress = ProgressLine(work)
        if history.eventCount >= Self.large { progress.announce() }
        defer { progress.end() }
        return try body()
    }

    /// `42 % of 10,000,000 events`.
    static func share(_ number: Int, of count: Int) -> String {
        "\(count == 0 ? 100 : number * 100 / count) % of \(CountText.text(count)) events"
    }
}
