import TraceStore

/// All events that a timeline has, in order.
struct TimelineEvents: Sequence, IteratorProtocol {
    private let timeline: TraceTimeline
    private var number = 1

    init(_ timeline: TraceTimeline) {
        self.timeline = timeline
    }

    mutating func next() -> NumberedEvent? {
        defer { number += 1 }
        return timeline.event(number: number)
    }
}
