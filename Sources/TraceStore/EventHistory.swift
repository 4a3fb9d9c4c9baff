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

extension EventStretch {
    /// The part of it that is within those numbers.
    func limited(to limits: Range<Int>) -> EventStretch {
        let kept = numbers.clamped(to: limits)
        guard kept != numbers else { return self }
        let part = (kept.lowerBound - first)..<(kept.upperBound - first)
        return EventStretch(first: kept.lowerBound, events: Array(events[part]), lanes: Array(lanes[part]))
    }
}
