import CTraceLanes
import TaskEvents
import TraceTransport

/// A block's events as bytes: the records as they are in memory, and behind them which lanes they are of, run by run.
enum TraceFileEvents {
    static var recordSize: Int { MemoryLayout<TaskEvent>.size }
    static var runSize: Int { 8 }

    /// Events that a writer puts together in one block, at most.
    static var blockLimit: Int { 8192 }
}

#if _endian(big)
    #error("Recordings are little-endian, and records are written as they lie in memory.")
#endif

extension EventStretch {
    /// The events of a block, whose payload is as it was written; nil if it does not hold what its header says.
    init?(_ block: TraceFileBlock, payload: UnsafeRawBufferPointer) {
        let recordBytes = block.count * TraceFileEvents.recordSize
        guard payload.count >= recordBytes else { return nil }
        var lanes: [UInt16] = []
        lanes.reserveCapacity(block.count)
        var offset = recordBytes
        while offset < payload.count {
            let length = Int(payload.load32(offset + 4))
            guard length > 0, length <= block.count - lanes.count else { return nil }
            lanes.append(contentsOf: repeatElement(payload.load16(offset), count: length))
            offset += TraceFileEvents.runSize
        }
        guard lanes.count == block.count else { return nil }
        let events = [TaskEvent](unsafeUninitializedCapacity: block.count) { events, count in
            UnsafeMutableRawBufferPointer(events).copyMemory(from: UnsafeRawBufferPointer(rebasing: payload[..<recordBytes]))
            count = block.count
            for index in events.indices { events[index].clampToLimits() }
        }
        self.init(first: block.firstEvent, events: events, lanes: lanes)
    }
}

extension TaskEvent {
    /// A checksum proves that a number is as it was written, not that a writer of this project wrote it.
    fileprivate mutating func clampToLimits() {
        record.time = min(record.time, TraceLimits.latestTime)
        if kind == .lost { record.other = min(record.other, TraceLimits.mostLost) }
    }
}
