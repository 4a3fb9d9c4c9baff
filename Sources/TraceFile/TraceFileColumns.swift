import CTraceLanes
import TaskEvents

/// The bytes of a block of events, column by column: kinds, details, times, tasks, second tasks, entries, executors, and the lanes as runs.
/// `Docs/TraceFormat.md` describes the columns.
///
/// Neighbouring events resemble one another, so most differences take one byte, and the columns compress to a few bits each.
enum TraceFileColumns {
    /// The largest size of an event: two bytes, three numbers of 64 bits, one of 32, one of 16, and a run of its own.
    static var mostBytesPerEvent: Int { 2 + 3 * 10 + 5 + 3 + 3 + 3 }

    /// Writes the columns of some events. `room` takes ``mostBytesPerEvent`` bytes of each. Returns the written bytes.
    static func write(
        _ events: [TaskEvent], lanes: [UInt16], from firstTime: UInt64, to room: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        precondition(room.count >= events.count * mostBytesPerEvent, "\(room.count) bytes for \(events.count) events")
        var cursor = ColumnWriter(next: room.baseAddress!)
        events.withUnsafeBufferPointer { events in
            for event in events { cursor.write(byte: event.record.kind) }
            for event in events { cursor.write(byte: event.record.detail) }
            var time = firstTime
            for event in events { cursor.write(event.record.time, after: &time) }
            var task: UInt64 = 0
            for event in events { cursor.write(event.record.task, after: &task) }
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 256) { others in
                others.initialize(repeating: 0)
                for event in events { cursor.write(event.record.other, after: &others[Int(event.record.kind)]) }
            }
            for event in events { cursor.write(UInt64(event.record.label)) }
            for event in events { cursor.write(UInt64(event.record.executor)) }
        }
        writeRuns(of: lanes, to: &cursor)
        return UnsafeRawBufferPointer(rebasing: room[..<(UnsafeRawPointer(cursor.next) - UnsafeRawPointer(room.baseAddress!))])
    }

    private static func writeRuns(of lanes: [UInt16], to cursor: inout ColumnWriter) {
        var start = 0
        for index in lanes.indices where index + 1 == lanes.count || lanes[index + 1] != lanes[index] {
            cursor.write(UInt64(lanes[index]))
            cursor.write(UInt64(index + 1 - start))
            start = index + 1
        }
    }

    /// Decodes the columns of `count` events; nil if there are fewer or more bytes than they take.
    static func read(_ bytes: UnsafeRawBufferPointer, count: Int, from firstTime: UInt64) -> (events: [TaskEvent], lanes: [UInt16])? {
        guard bytes.count >= 2 * count else { return nil }
        var cursor = ColumnReader(bytes: bytes, offset: 2 * count)
        let events = [TaskEvent](unsafeUninitializedCapacity: count) { events, filled in
            events.initialize(repeating: TaskEvent(.lost))
            filled = count
            var time = firstTime
            var task: UInt64 = 0
            for index in 0..<count {
                events[index].record.kind = bytes[index]
                events[index].record.detail = bytes[count + index]
            }
            for index in 0..<count { events[index].record.time = cursor.read(after: &time) }
            for index in 0..<count { events[index].record.task = cursor.read(after: &task) }
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 256) { others in
                others.initialize(repeating: 0)
                for index in 0..<count { events[index].record.other = cursor.read(after: &others[Int(events[index].record.kind)]) }
            }
            for index in 0..<count { events[index].record.label = UInt32(truncatingIfNeeded: cursor.read()) }
            for index in 0..<count { events[index].record.executor = UInt16(truncatingIfNeeded: cursor.read()) }
        }
        guard let lanes = readRuns(from: &cursor, count: count), !cursor.isPastEnd, cursor.offset == bytes.count else { return nil }
        return (events, lanes)
    }

    private static func readRuns(from cursor: inout ColumnReader, count: Int) -> [UInt16]? {
        var lanes: [UInt16] = []
        lanes.reserveCapacity(count)
        while lanes.count < count {
            let lane = UInt16(truncatingIfNeeded: cursor.read())
            let length = cursor.read()
            guard length > 0, length <= UInt64(count - lanes.count) else { return nil }
            lanes.append(contentsOf: repeatElement(lane, count: Int(length)))
        }
        return lanes
    }
}

/// Writes numbers of seven bits a byte, the low ones first; all bytes but the last have the high bit set.
///
/// The caller provides room for ``TraceFileColumns/mostBytesPerEvent`` bytes per event.
private struct ColumnWriter {
    var next: UnsafeMutableRawPointer

    @inline(__always)
    mutating func write(byte: UInt8) {
        next.storeBytes(of: byte, as: UInt8.self)
        next += 1
    }

    @inline(__always)
    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            write(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        write(byte: UInt8(truncatingIfNeeded: rest))
    }

    /// Writes the difference to the previous number of the column. Small negative differences are short too: the sign is the lowest bit.
    @inline(__always)
    mutating func write(_ number: UInt64, after previous: inout UInt64) {
        let difference = Int64(bitPattern: number &- previous)
        write(UInt64(bitPattern: difference << 1 ^ difference >> 63))
        previous = number
    }
}

/// Reads what ``ColumnWriter`` writes. Past the end of the bytes it reads zeros and remembers that.
private struct ColumnReader {
    let bytes: UnsafeRawBufferPointer
    var offset: Int
    var isPastEnd = false

    @inline(__always)
    mutating func read() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        isPastEnd = true
        return 0
    }

    @inline(__always)
    mutating func read(after previous: inout UInt64) -> UInt64 {
        let coded = read()
        previous = previous &+ (coded >> 1 ^ (0 &- (coded & 1)))
        return previous
    }
}
