import TaskEvents
import TraceTransport

/// A block of events that is being filled.
struct TraceFileEventBuffer {
    private(set) var events: [TaskEvent] = []
    private(set) var lanes: [UInt16] = []
    /// The number of the first event.
    private(set) var first = 0
    private(set) var firstTime = UInt64.max
    private var lastTime: UInt64 = 0
    private var lost: UInt64 = 0
    private var kinds: EventKinds = []

    init() {
        events.reserveCapacity(TraceFileEvents.blockLimit)
        lanes.reserveCapacity(TraceFileEvents.blockLimit)
    }

    var count: Int { events.count }

    var isFull: Bool { count == TraceFileEvents.blockLimit }

    /// The time between the earliest and the latest event.
    var span: UInt64 { count > 0 ? lastTime - firstTime : 0 }

    mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        lanes.removeAll(keepingCapacity: true)
        firstTime = .max
        lastTime = 0
        lost = 0
        kinds = []
    }

    /// Appends events of a batch from index `start` on, as many as fit. `number` is the number of the first one. Returns how many were
    /// appended.
    mutating func append(_ batch: TraceBatch, from start: Int, number: Int) -> Int {
        if count == 0 { first = number }
        let end = min(batch.events.count, start + TraceFileEvents.blockLimit - count)
        events.append(contentsOf: batch.events[start..<end])
        lanes.append(contentsOf: batch.lanes[start..<end])
        for event in batch.events[start..<end] { note(event) }
        return end - start
    }

    private mutating func note(_ event: TaskEvent) {
        firstTime = min(firstTime, event.time)
        lastTime = max(lastTime, event.time)
        kinds.rawValue |= EventKinds(code: event.kindCode).rawValue
        if event.kindCode == EventKind.lost.rawValue { lost &+= event.other }
    }

    /// Adds what the block's header says of its events.
    func describe(in header: inout TraceFileBlock) {
        header.count = count
        header.firstTime = firstTime
        header.lastTime = lastTime
        header.lost = lost
        header.kinds = kinds
    }
}
