import CTraceLanes
import TaskEvents
import TraceTransport

/// The bytes of a block of events: the records as they lie in memory, followed by the lanes of the events as runs.
enum TraceFileEvents {
    static var recordSize: Int { MemoryLayout<TaskEvent>.size }
    static var runSize: Int { 8 }

    /// The largest number of events that a writer puts into one block.
    static var blockLimit: Int { 8192 }
}

#if _endian(big)
    #error("Recordings are little-endian, and records are written as they lie in memory.")
#endif

extension EventStretch {
    /// Decodes the events of a block whose payload has passed its checksum; nil if the payload contradicts the header.
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
    /// A checksum proves that a number is unchanged, not that this project's writer wrote it.
    fileprivate mutating func clampToLimits() {
        record.time = min(record.time, TraceLimits.latestTime)
        if kind == .lost { record.other = min(record.other, TraceLimits.mostLost) }
    }
}
