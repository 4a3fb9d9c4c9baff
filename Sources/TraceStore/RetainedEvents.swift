import TaskEvents
import TraceFile

/// The latest events of a live trace, in memory: what stepping back reads again.
///
/// Chunks fill one after the other, and past the limit the oldest goes; so it keeps the limit, and a chunk at most besides.
final class RetainedEvents: EventHistory {
    static var chunkSize: Int { 16_384 }

    private struct Chunk {
        var first: Int
        var events: [TaskEvent] = []
        var lanes: [UInt16] = []
        var kinds: EventKinds = []

        var numbers: Range<Int> { first..<(first + events.count) }

        init(first: Int) {
            self.first = first
            events.reserveCapacity(RetainedEvents.chunkSize)
            lanes.reserveCapacity(RetainedEvents.chunkSize)
        }

        /// Takes as many events as it has room for. Returns how many.
        mutating func append(_ new: ArraySlice<TaskEvent>, lanes newLanes: ArraySlice<UInt16>) -> Int {
            let count = min(new.count, RetainedEvents.chunkSize - events.count)
            events += new.prefix(count)
            lanes += newLanes.prefix(count)
            for event in new.prefix(count) { kinds.insert(EventKinds(code: event.kindCode)) }
            return count
        }
    }

    private var chunks: [Chunk] = []
    private var next: Int
    private let limit: Int

    /// Keeps at least `limit` events; the first that comes has the number `first`.
    init(limit: Int, first: Int) {
        self.limit = limit
        next = first
    }

    var numbers: Range<Int> { (chunks.first?.first ?? next)..<next }

    func append(_ batch: TraceBatch) {
        var taken = 0
        while taken < batch.events.count {
            if (chunks.last?.events.count ?? Self.chunkSize) == Self.chunkSize {
                forgetOldest()
                chunks.append(Chunk(first: next))
            }
            let count = chunks[chunks.count - 1].append(batch.events[taken...], lanes: batch.lanes[taken...])
            taken += count
            next += count
        }
    }

    func stretch(at number: Int) -> EventStretch {
        let chunk = chunks[index(of: number)]
        return EventStretch(first: chunk.first, events: chunk.events, lanes: chunk.lanes)
    }

    func extent(at number: Int) -> EventExtent {
        let chunk = chunks[index(of: number)]
        return EventExtent(numbers: chunk.numbers, kinds: chunk.kinds)
    }

    private func index(of number: Int) -> Int {
        precondition(numbers.contains(number), "event \(number) of \(numbers)")
        return (number - chunks[0].first) / Self.chunkSize
    }

    private func forgetOldest() {
        let oldest = next - limit
        chunks.removeAll { $0.numbers.upperBound <= oldest }
    }
}
