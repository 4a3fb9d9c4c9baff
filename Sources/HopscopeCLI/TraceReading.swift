import TraceAnalysis
import TraceStore

/// What was read of a trace: its events and the state that they lead to, and what the rules found.
struct TraceReading {
    let timeline: TraceTimeline
    let warnings: WarningList

    /// The state after everything.
    var store: TraceStore { timeline.latest }

    /// All events, in order.
    var events: TimelineEvents { TimelineEvents(timeline) }
}
