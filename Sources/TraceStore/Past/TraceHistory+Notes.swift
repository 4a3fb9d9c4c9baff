import TaskEvents
import TraceTransport

extension TraceHistory {
    /// The notes that lead through the trace, in order. Reads only stretches that have marks.
    package var notes: [TaskEvent] {
        var notes: [TaskEvent] = []
        var number = firstPosition + 1
        while let extent = extent(at: number) {
            if !extent.kinds.isDisjoint(with: EventSearch.note.kinds) {
                let stretch = events(around: number)
                notes += stretch.events.dropFirst(number - stretch.first).filter(\.isNote)
                number = stretch.numbers.upperBound
            } else {
                number = extent.numbers.upperBound
            }
        }
        return notes
    }
}
