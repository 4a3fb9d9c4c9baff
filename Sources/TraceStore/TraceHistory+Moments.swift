import TaskEvents
import TraceFile

extension TraceHistory {
    /// Threads' records come this much out of order at most, in nanoseconds.
    private static let disorder: UInt64 = 100_000_000

    /// The number of an event by its time and by what `fits` asks of it; nil if there is none, or it is forgotten. Costs a few looks at
    /// the history, however long it is, and one at what happened about that time.
    package func number(ofEventAt time: UInt64, where fits: (TaskEvent) -> Bool) -> Int? {
        let early = time > Self.disorder ? time - Self.disorder : 0
        var next = firstEvent(from: early)
        while let event = event(number: next)?.event, event.time <= time + Self.disorder {
            if event.time == time, fits(event) { return next }
            next += 1
        }
        return nil
    }

    /// About the first event at that time or later.
    private func firstEvent(from time: UInt64) -> Int {
        var (first, end) = (firstPosition + 1, eventCount + 1)
        while first < end {
            let middle = first + (end - first) / 2
            guard let event = event(number: middle)?.event else { return first }
            if event.time < time { first = middle + 1 } else { end = middle }
        }
        return first
    }
}

extension TraceHistory {
    /// Takes over the names that the recording has learned since; of a live trace they come with its batches. Returns whether there were
    /// any.
    package func takeNames() -> Bool {
        guard let recording, recording.entries.symbols.count != latest.entries.symbols.count else { return false }
        latest.entries = recording.entries
        if !isAtLatest { store.entries = recording.entries }
        return true
    }
}
