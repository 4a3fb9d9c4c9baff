import TaskEvents
import TraceTransport

/// The events that are known to be missing.
struct Losses {
    /// The number of lost events, and of the events that only report the loss of others.
    var events: UInt64 = 0
    var reports = 0
    /// The time of the latest report.
    var last: UInt64?
    /// The times in which lost events may have happened, in order and apart from each other.
    private(set) var spans: [ClosedRange<UInt64>] = []

    /// The largest number of spans. Beyond it, the two oldest become one, so the memory is constant.
    private static let spanLimit = 1024

    /// Whether the latest span goes on until the next event.
    private(set) var isOpen = false

    /// Adds a report of lost events.
    ///
    /// - Parameters:
    ///   - since: the time of the last event before the loss.
    ///   - isOpen: whether the lost events may be younger than the report, but not than the next event.
    mutating func add(_ report: EventReference, since: UInt64, isOpen: Bool = false) {
        self.isOpen = isOpen
        events = events.plus(report.other)
        last = max(last ?? 0, report.time)
        reports += 1
        add(min(since, report.time)...report.time)
    }

    /// Ends an open span with the time of the next event.
    mutating func close(at time: UInt64) {
        isOpen = false
        guard let last = spans.last, time > last.upperBound else { return }
        spans[spans.count - 1] = last.lowerBound...time
    }

    private mutating func add(_ new: ClosedRange<UInt64>) {
        var span = new
        // Reports come almost in the order of time, so the spans that the new one touches are the last ones.
        var place = spans.count
        while place > 0, spans[place - 1].upperBound >= span.lowerBound {
            place -= 1
            let other = spans[place]
            guard other.lowerBound <= span.upperBound else { continue }
            span = min(span.lowerBound, other.lowerBound)...max(span.upperBound, other.upperBound)
            spans.remove(at: place)
        }
        spans.insert(span, at: place)
        if spans.count > Self.spanLimit { spans.replaceSubrange(0...1, with: [spans[0].lowerBound...spans[1].upperBound]) }
    }

    /// Whether lost events may have happened at some time in `range`.
    func touch(_ range: ClosedRange<UInt64>) -> Bool {
        let next = spans.partitioningIndex { $0.upperBound >= range.lowerBound }
        return next < spans.count && spans[next].lowerBound <= range.upperBound
    }
}
