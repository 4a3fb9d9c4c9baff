import CTraceLanes
import TaskEvents
import TraceTransport

/// The limits of a block of events, and the sizes of a plain one: the records as they lie in memory, followed by the lanes of the events as
/// runs.
enum TraceFileEvents {
    static var runSize: Int { 8 }

    /// The largest number of events that a writer puts into one block.
    static var blockLimit: Int { 8192 }

    /// Whether a file of this many bytes may count so many events without a block that proves them. The densest recordings of programs have
    /// two events a byte. It bounds what a reader does for a file that only claims its events.
    static func canBe(_ events: Int, in bytes: Int) -> Bool { events <= 1 << 17 || events >> 3 <= bytes }
}

#if _endian(big)
    #error("Recordings are little-endian, and plain records are read as they lie in memory.")
#endif

extension EventStretch {
    /// Decodes the events of a block from its decompressed payload; nil if the payload contradicts the header.
    init?(_ block: TraceFileBlock, payload: UnsafeRawBufferPointer) {
        let columns: (events: [TaskEvent], lanes: [UInt16])? =
            switch block.encoding {
            case .plain: Self.readPlain(payload, count: block.count)
            case .packed: TraceFileColumns.read(payload, count: block.count, from: block.firstTime)
            case nil: nil
            }
        guard var columns else { return nil }
        for index in columns.events.indices { columns.events[index].clampToLimits() }
        self.init(first: block.firstEvent, events: columns.events, lanes: columns.lanes)
    }

    /// Placeholders for missing events: one loss per event, so that later events keep their numbers.
    static func missing(_ numbers: Range<Int>, at time: UInt64) -> EventStretch {
        let loss = TaskEvent(.lost, at: time, other: 1, detail: LossManner.ofAnyLane.rawValue)
        return EventStretch(
            first: numbers.lowerBound, events: Array(repeating: loss, count: numbers.count),
            lanes: Array(repeating: TraceBatch.noLane, count: numbers.count))
    }

    private static func readPlain(_ payload: UnsafeRawBufferPointer, count: Int) -> (events: [TaskEvent], lanes: [UInt16])? {
        let recordBytes = count * TraceFileBlock.recordSize
        guard payload.count >= recordBytes else { return nil }
        var lanes: [UInt16] = []
        lanes.reserveCapacity(count)
        var offset = recordBytes
        while offset < payload.count {
            let length = Int(payload.load32(offset + 4))
            guard length > 0, length <= count - lanes.count else { return nil }
            lanes.append(contentsOf: repeatElement(payload.load16(offset), count: length))
            offset += TraceFileEvents.runSize
        }
        guard lanes.count == count else { return nil }
        let events = [TaskEvent](unsafeUninitializedCapacity: count) { events, filled in
            UnsafeMutableRawBufferPointer(events).copyMemory(from: UnsafeRawBufferPointer(rebasing: payload[..<recordBytes]))
            filled = count
        }
        return (events, lanes)
    }
}

extension TaskEvent {
    /// A checksum proves that a number is unchanged, not that this project's writer wrote it.
    fileprivate mutating func clampToLimits() {
        record.time = min(record.time, TraceLimits.latestTime)
        if kind == .lost { record.other = min(record.other, TraceLimits.mostLost) }
    }
}
