import TaskEvents
import TraceTransport

extension TraceHistory {
    /// The largest time by which records of different threads are out of order, in nanoseconds.
    private static let disorder: UInt64 = 100_000_000

    /// The number of an event with this time that passes the test `matches`; nil if there is none, or if it has been forgotten. A binary
    /// search finds the surroundings of that time, and only the events there are tested.
    package func number(ofEventAt time: UInt64, where matches: (TaskEvent) -> Bool) -> Int? {
        let early = time > Self.disorder ? time - Self.disorder : 0
        var next = firstEvent(from: early)
        while let event = event(number: next)?.event, event.time <= time + Self.disorder {
            if event.time == time, matches(event) { return next }
            next += 1
        }
        return nil
    }

    /// The numbers of the events that may have happened between two times.
    package func numbers(from start: UInt64, until end: UInt64) -> Range<Int> {
        let first = firstEvent(from: start > Self.disorder ? start - Self.disorder : 0)
        return first..<max(first, firstEvent(from: end + Self.disorder))
    }

    /// The approximate number of the first event at or after `time`.
    private func firstEvent(from time: UInt64) -> Int {
        (firstPosition + 1..<eventCount + 1).partitioningIndex { number in event(number: number).map { $0.event.time >= time } ?? true }
    }
}

extension TraceHistory {
    /// The first event that a list of events shows: the first one whose moment the cursor can go to.
    package var firstListed: Int { max(1, firstPosition) }

    /// The events around `number`. If none of them is of these kinds, returns only their numbers, because the events need not be read. Nil
    /// if the event is forgotten or has not come yet.
    package func stretch(at number: Int, withAny kinds: EventKinds) -> (numbers: Range<Int>, events: EventStretch?)? {
        guard let extent = extent(at: number) else { return nil }
        guard !extent.kinds.isDisjoint(with: kinds) else { return (extent.numbers, nil) }
        let stretch = events(around: number)
        return (stretch.numbers, stretch)
    }
}

extension TraceHistory {
    /// Takes over names that the recording has learned since the last call. The names of a live trace come with its batches. Returns
    /// whether there were new names.
    package func takeNames() -> Bool {
        guard let recording, recording.entries.symbols.count != latest.entries.symbols.count else { return false }
        latest.entries = recording.entries
        if !isAtLatest { store.entries = recording.entries }
        return true
    }
}
