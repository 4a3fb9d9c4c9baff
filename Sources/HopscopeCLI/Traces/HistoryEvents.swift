import TraceStore

/// All events of a history, in order. Reports progress during the iteration.
struct HistoryEvents: Sequence, IteratorProtocol {
    private let history: TraceHistory
    private let progress: ProgressLine
    private var number = 1

    init(_ history: TraceHistory, _ progress: ProgressLine) {
        self.history = history
        self.progress = progress
    }

    mutating func next() -> NumberedEvent? {
        defer { number += 1 }
        if number % Self.portion == 0 { progress.show(event: number, of: history.eventCount) }
        return history.event(number: number)
    }

    /// Number of events between two progress updates.
    private static let portion = 4096
}
