import TaskEvents

/// A block of events that is being filled.
struct TraceFileEventBuffer {
    /// The block's bytes. The space for the header is left free, and the runs are not appended yet.
    private var bytes: [UInt8] = []
    private var runs: [Run] = []
    /// The number of the first event.
    private(set) var first = 0
    private(set) var count = 0
    private var firstTime = UInt64.max
    private var lastTime: UInt64 = 0
    private var lost: UInt64 = 0
    private var kinds: EventKinds = []

    private struct Run: BitwiseCopyable {
        var lane: UInt16
        var length: UInt32
    }

    init() {
        bytes.reserveCapacity(TraceFileBlock.size + TraceFileEvents.blockLimit * (TraceFileEvents.recordSize + TraceFileEvents.runSize))
        removeAll()
    }

    var isFull: Bool { count == TraceFileEvents.blockLimit }

    /// The time between the earliest and the latest event.
    var span: UInt64 { count > 0 ? lastTime - firstTime : 0 }

    var capacity: Int { bytes.capacity + runs.capacity * MemoryLayout<Run>.stride }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(0, count: TraceFileBlock.size))
        runs.removeAll(keepingCapacity: true)
        count = 0
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
        batch.events.withUnsafeBufferPointer { events in
            let events = events[start..<end]
            bytes.append(contentsOf: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: events)))
            for event in events { note(event) }
        }
        for lane in batch.lanes[start..<end] {
            if let last = runs.last, last.lane == lane {
                runs[runs.count - 1].length += 1
            } else {
                runs.append(Run(lane: lane, length: 1))
            }
        }
        count += end - start
        return end - start
    }

    private mutating func note(_ event: TaskEvent) {
        firstTime = min(firstTime, event.time)
        lastTime = max(lastTime, event.time)
        kinds.insert(EventKinds(code: event.kindCode))
        if event.kind == .lost { lost &+= event.other }
    }

    /// Completes the block for writing at `offset`; `bytes` include the header. The caller then empties the buffer.
    mutating func finish(sequence: UInt64, offset: Int) -> (header: TraceFileBlock, bytes: [UInt8]) {
        for run in runs {
            bytes.append32(UInt32(run.lane))
            bytes.append32(run.length)
        }
        var header = TraceFileBlock(.events, sequence: sequence, offset: offset, firstEvent: first)
        header.payloadSize = bytes.count - TraceFileBlock.size
        header.count = count
        header.firstTime = firstTime
        header.lastTime = lastTime
        header.lost = lost
        header.kinds = kinds
        header.seal(&bytes)
        return (header, bytes)
    }
}
