import TaskEvents
import TraceTransport

extension TraceHistory {
    /// The remarks that lead through the trace, in order. Reads only stretches that have marks.
    package var remarks: [TaskEvent] {
        var remarks: [TaskEvent] = []
        var number = firstPosition + 1
        while let extent = extent(at: number) {
            if !extent.kinds.isDisjoint(with: EventSearch.remark.kinds) {
                let stretch = events(around: number)
                remarks += stretch.events.dropFirst(number - stretch.first).filter(\.isRemark)
                number = stretch.numbers.upperBound
            } else {
                number = extent.numbers.upperBound
            }
        }
        return remarks
    }
}
