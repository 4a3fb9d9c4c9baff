import TaskEvents

/// A block's events as bytes: the records as they are in memory, and behind them which lanes they are of, run by run.
enum HopEvents {
    static var recordSize: Int { MemoryLayout<TaskEvent>.size }
    static var runSize: Int { 8 }

    /// Events that a writer puts together in one block, at most.
    static var blockLimit: Int { 8192 }
}

#if _endian(big)
    #error("Recordings are little-endian, and records are written as they lie in memory.")
#endif

/// A stretch of a trace: consecutive events, by number.
package struct EventStretch: Sendable {
    /// Of its first event, from 1.
    package var first: Int
    package var events: [TaskEvent]
    /// The lane of each.
    package var lanes: [UInt16]

    package init(first: Int, events: [TaskEvent], lanes: [UInt16]) {
        precondition(events.count == lanes.count, "\(events.count) events in \(lanes.count) lanes")
        self.first = first
        self.events = events
        self.lanes = lanes
    }

    package var numbers: Range<Int> { first..<(first + events.count) }

    /// What stands for events that are missing: a loss each, so that those behind them keep their numbers.
    static func missing(_ numbers: Range<Int>, at time: UInt64) -> EventStretch {
        let loss = TaskEvent(.lost, at: time, other: 1, detail: LossManner.ofAnyLane.rawValue)
        return EventStretch(
            first: numbers.lowerBound, events: Array(repeating: loss, count: numbers.count),
            lanes: Array(repeating: TraceBatch.noLane, count: numbers.count))
    }
}

extension EventStretch {
    /// The events of a block, whose payload is as it was written; nil if it does not hold what its header says.
    init?(_ block: HopBlock, payload: UnsafeRawBufferPointer) {
        let recordBytes = block.count * HopEvents.recordSize
        guard payload.count >= recordBytes else { return nil }
        var lanes: [UInt16] = []
        lanes.reserveCapacity(block.count)
        var offset = recordBytes
        while offset < payload.count {
            let length = Int(payload.load32(offset + 4))
            guard length > 0, length <= block.count - lanes.count else { return nil }
            lanes.append(contentsOf: repeatElement(payload.load16(offset), count: length))
            offset += HopEvents.runSize
        }
        guard lanes.count == block.count else { return nil }
        let events = [TaskEvent](unsafeUninitializedCapacity: block.count) { events, count in
            UnsafeMutableRawBufferPointer(events).copyMemory(from: UnsafeRawBufferPointer(rebasing: payload[..<recordBytes]))
            count = block.count
        }
        self.init(first: block.firstEvent, events: events, lanes: lanes)
    }
}
