import TraceStore

/// All events that a timeline has, in order.
struct TimelineEvents: Sequence, IteratorProtocol {
    private let timeline: TraceTimeline
    private let progress: ProgressLine
    private var number = 1

    init(_ timeline: TraceTimeline, _ progress: ProgressLine) {
        self.timeline = timeline
        self.progress = progress
    }

    mutating func next() -> NumberedEvent? {
        defer { number += 1 }
        if number % Self.portion == 0 { progress.show(TraceReading.share(number, of: timeline.eventCount)) }
        return timeline.event(number: number)
    }

    /// Events between two looks at the time.
    private static let portion = 4096
}
