import TaskEvents

/// Events that can be had again by their numbers: a recording's, or the latest of a live trace. Numbers count from 1.
package protocol EventHistory: AnyObject {
    /// What there is.
    var numbers: Range<Int> { get }

    /// A stretch with the event of that number, which must be there.
    func stretch(at number: Int) -> EventStretch

    /// Which events that stretch has, and of what kinds at most, without reading them.
    func extent(at number: Int) -> EventExtent
}

/// What is known of a stretch of events before it is read.
package struct EventExtent: Hashable, Sendable {
    package var numbers: Range<Int>
    package var kinds: EventKinds

    package init(numbers: Range<Int>, kinds: EventKinds) {
        self.numbers = numbers
        self.kinds = kinds
    }
}

extension EventHistory {
    /// Calls `body` with what there is of those numbers, in order, a stretch at a time.
    package func forEach(in numbers: Range<Int>, _ body: (EventStretch) -> Void) {
        var next = max(numbers.lowerBound, self.numbers.lowerBound)
        let end = min(numbers.upperBound, self.numbers.upperBound)
        while next < end {
            let stretch = stretch(at: next).limited(to: next..<end)
            body(stretch)
            next = stretch.numbers.upperBound
        }
    }
}

/// A stretch of a trace: consecutive events, by number.
package struct EventStretch: Sendable {
    /// Of its first event, from 1.
    package var first: Int
    package var events: [TaskEvent]
    /// The lane of each.
    package var lanes: [UInt16]

    package init(first: Int, events: [TaskEvent], lanes: [UInt16]) {
        precondition(events.count == lanes.count, "\(events.count) events in \(lanes.count) lanes")
        self.first = first
        self.events = events
        self.lanes = lanes
    }

    package var numbers: Range<Int> { first..<(first + events.count) }

    /// What stands for events that are missing: a loss each, so that those behind them keep their numbers.
    static func missing(_ numbers: Range<Int>, at time: UInt64) -> EventStretch {
        let loss = TaskEvent(.lost, at: time, other: 1, detail: LossManner.ofAnyLane.rawValue)
        return EventStretch(
            first: numbers.lowerBound, events: Array(repeating: loss, count: numbers.count),
            lanes: Array(repeating: TraceBatch.noLane, count: numbers.count))
    }
}

extension EventStretch {
    /// The part of it that is within those numbers.
    package func limited(to limits: Range<Int>) -> EventStretch {
        let kept = numbers.clamped(to: limits)
        guard kept != numbers else { return self }
        let part = (kept.lowerBound - first)..<(kept.upperBound - first)
        return EventStretch(first: kept.lowerBound, events: Array(events[part]), lanes: Array(lanes[part]))
    }
}
