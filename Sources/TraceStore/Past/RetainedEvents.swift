import TaskEvents
import TraceTransport

/// The latest events of a trace, in memory.
///
/// Chunks fill one after the other. The oldest chunk is removed once it lies beyond the limit, so at most the limit and one more chunk are
/// kept.
final class RetainedEvents: EventHistory {
    static var chunkSize: Int { 16_384 }

    private struct Chunk {
        var first = 1
        var events: [TaskEvent] = []
        var lanes: [UInt16] = []
        /// The kinds of a full chunk's events, computed at the first request.
        var kinds: EventKinds?

        var numbers: Range<Int> { first..<(first + events.count) }

        init() {
            events.reserveCapacity(RetainedEvents.chunkSize)
            lanes.reserveCapacity(RetainedEvents.chunkSize)
        }

        /// Uses the memory again, unless a reader still has it.
        mutating func begin(at number: Int) {
            first = number
            events.removeAll(keepingCapacity: true)
            lanes.removeAll(keepingCapacity: true)
            kinds = nil
        }
    }

    private var chunks: [Chunk] = []
    private var next = 1
    private var limit: Int

    /// Keeps at least the latest `limit` events; 0 keeps none.
    init(limit: Int) {
        self.limit = limit
    }

    /// Changes the limit: keeps at least the latest `limit` events from now on; 0 keeps none.
    func keep(_ limit: Int) {
        self.limit = limit
        if limit == 0 { chunks = [] }
    }

    var numbers: Range<Int> { (chunks.first?.first ?? next)..<next }

    func append(_ event: TaskEvent, lane: UInt16) {
        guard limit > 0 else {
            next += 1
            return
        }
        if lastIsFull { beginChunk() }
        chunks[chunks.count - 1].events.append(event)
        chunks[chunks.count - 1].lanes.append(lane)
        next += 1
    }

    func append(_ batch: TraceBatch) {
        guard limit > 0 else {
            next += batch.events.count
            return
        }
        var taken = 0
        while taken < batch.events.count {
            if lastIsFull { beginChunk() }
            let last = chunks.count - 1
            let end = min(batch.events.count, taken + Self.chunkSize - chunks[last].events.count)
            chunks[last].events += batch.events[taken..<end]
            chunks[last].lanes += batch.lanes[taken..<end]
            next += end - taken
            taken = end
        }
    }

    func stretch(at number: Int) -> EventStretch {
        let chunk = chunks[index(of: number)]
        return EventStretch(first: chunk.first, events: chunk.events, lanes: chunk.lanes)
    }

    func extent(at number: Int) -> EventExtent {
        let index = index(of: number)
        let kinds = chunks[index].kinds ?? chunks[index].events.reduce(into: []) { $0.insert(EventKinds(code: $1.kindCode)) }
        if chunks[index].events.count == Self.chunkSize { chunks[index].kinds = kinds }
        return EventExtent(numbers: chunks[index].numbers, kinds: kinds)
    }

    private func index(of number: Int) -> Int {
        precondition(numbers.contains(number), "event \(number) of \(numbers)")
        return (number - chunks[0].first) / Self.chunkSize
    }

    private var lastIsFull: Bool {
        (chunks.last?.events.count ?? Self.chunkSize) == Self.chunkSize
    }

    private func beginChunk() {
        let oldest = next - limit
        let isFull = chunks.first.map { $0.numbers.upperBound <= oldest } ?? false
        var chunk = isFull ? chunks.removeFirst() : Chunk()
        chunks.removeAll { $0.numbers.upperBound <= oldest }
        chunk.begin(at: next)
        chunks.append(chunk)
    }
}
