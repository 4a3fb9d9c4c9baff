import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

/// The contents of a trace: its events, the resulting state, and the findings of the rules.
struct TraceReading {
    let history: TraceHistory
    let warnings: WarningList
    let time: TimeSource

    /// With at least this many events, an analysis takes noticeable time.
    private static let large = 500_000

    /// The state after the last event.
    var store: TraceStore { history.latest }

    /// All events in order. The iteration updates the progress line.
    func events(_ progress: ProgressLine) -> HistoryEvents { HistoryEvents(history, progress) }

    /// The steps of all tasks. Updates the progress line meanwhile.
    func steps(_ progress: ProgressLine) -> TaskSteps {
        var steps = TaskSteps()
        history.forEachStretch { stretch in
            steps.add(stretch)
            progress.show(event: stretch.first, of: history.eventCount)
        }
        steps.threadTimes = history.recording?.profile().map { ThreadTimes($0) }
        return steps
    }

    /// The steps of all tasks if the recording has a profile of the program's threads; nil for any other trace.
    var profiledSteps: TaskSteps? {
        history.recording?.hasProfile == true ? steps(ProgressLine("Reading the profile", time)) : nil
    }

    /// Runs `body`. If the trace is large, shows a progress line meanwhile.
    func announcing<Result>(_ work: String, _ body: () throws -> Result) rethrows -> Result {
        let progress = ProgressLine(work, time)
        if history.eventCount >= Self.large { progress.announce() }
        defer { progress.end() }
        return try body()
    }
}
