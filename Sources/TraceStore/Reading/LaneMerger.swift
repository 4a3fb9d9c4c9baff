import TaskEvents
import TraceTransport

/// Merges the events of all lanes of a source into one order, by time.
///
/// A round takes a horizon, reads every lane and returns the events up to the horizon. Later events wait, because another lane may still
/// receive an earlier one. An event comes late only if its writer was interrupted between taking the time and publishing; a fold accepts
/// such events. A `.lost` event stands in the place of records that a lane has lost. Not thread-safe; each reader has its own merger.
package struct LaneMerger {
    /// The most events of one lane that wait. It bounds a round and the memory between rounds.
    private static var waitingLimit: Int { 16_384 }
    private static var readSize: Int { 1024 }

    private let source: any LaneSource
    private var lanes: [Lane] = []
    /// Each lane's record count when the round began. A round does not read lanes without new records.
    private var laneHeads: [UInt64] = []
    private var unplaced: UInt64 = 0
    private var heads = HeadHeap()

    /// The events of one lane that have been read but not returned.
    private struct Lane {
        var next: UInt64 = 0
        var waiting: [TaskEvent] = []
        /// The number of events in `waiting` that have been returned.
        var taken = 0

        /// Frees the returned events once they are more than half of `waiting`.
        mutating func forgetTaken() {
            if taken == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                taken = 0
            } else if taken > waiting.count / 2 {
                waiting.removeFirst(taken)
                taken = 0
            }
        }
    }

    package init(source: any LaneSource) {
        self.source = source
    }

    /// The events up to now, in order. Empty if there are none. A round is limited in size, so the next round may find more at once.
    package mutating func round() -> TraceBatch {
        let horizon = source.now
        return merge(upTo: min(horizon, readLanes(horizon: horizon)))
    }

    /// Passes everything that was emitted before the call to `handOut`, in order, in batches.
    package mutating func drain(_ handOut: (TraceBatch) throws -> Void) rethrows {
        let end = source.now
        while true {
            let horizon = readLanes(horizon: end)
            try handOut(merge(upTo: horizon))
            // Every lane has been read to its end, or beyond `end`.
            if horizon > end { return }
        }
    }

    /// Reads new records from the lanes. Returns the time up to which all records have been read; the size limit may leave later ones
    /// unread.
    private mutating func readLanes(horizon: UInt64) -> UInt64 {
        source.copyHeads(to: &laneHeads)
        while lanes.count < laneHeads.count { lanes.append(Lane()) }
        var complete = UInt64.max
        for index in laneHeads.indices where laneHeads[index] > lanes[index].next {
            if let last = read(&lanes[index], number: UInt32(index), horizon: horizon) { complete = min(complete, last) }
        }
        return complete
    }

    /// Returns the time up to which the lane has been read; nil if it has no more records.
    private func read(_ lane: inout Lane, number: UInt32, horizon: UInt64) -> UInt64? {
        var gone: UInt64 = 0
        while lane.waiting.count - lane.taken < Self.waitingLimit {
            let before = lane.waiting.count
            let lost = source.read(lane: number, from: &lane.next, into: &lane.waiting, limit: Self.readSize)
            gone += lost
            if lane.waiting.count > before {
                // The loss takes the place and the time of the first record after it. A whole read may have been overrun, so that record
                // may be older than the horizon.
                if gone > 0 { lane.waiting.insert(TaskEvent(.lost, at: lane.waiting[before].time, other: gone), at: before) }
                gone = 0
            } else if lost == 0 {
                if gone > 0 { lane.waiting.append(TaskEvent(.lost, at: horizon, other: gone)) }
                return nil
            }
            if let last = lane.waiting.last, last.time > horizon { return nil }
        }
        // Never earlier than the next event; otherwise a lane whose clock went back would block the merge.
        return max(lane.waiting[lane.taken].time, lane.waiting[lane.waiting.count - 1].time)
    }

    private mutating func merge(upTo horizon: UInt64) -> TraceBatch {
        var batch = TraceBatch(source: source)
        batch.isCompleteUntil = horizon
        noteUnplaced(in: &batch)
        let room = lanes.reduce(0) { $0 + $1.waiting.count - $1.taken }
        batch.events.reserveCapacity(room)
        batch.lanes.reserveCapacity(room)
        heads.removeAll()
        for index in lanes.indices where lanes[index].taken < lanes[index].waiting.count {
            let time = lanes[index].waiting[lanes[index].taken].time
            if time <= horizon { heads.insert(HeadHeap.Head(time: time, lane: UInt16(truncatingIfNeeded: index))) }
        }
        while let head = heads.first {
            // Takes all events of the earliest lane up to the next lane's head.
            let until = min(horizon, heads.second?.time ?? horizon)
            if let next = takeRun(of: Int(head.lane), until: until, into: &batch), next <= horizon {
                heads.replaceFirst(with: HeadHeap.Head(time: next, lane: head.lane))
            } else {
                heads.removeFirst()
            }
        }
        for index in lanes.indices { lanes[index].forgetTaken() }
        return batch
    }

    /// Moves a lane's events up to `until` into the batch. Returns the time of the lane's next event.
    private mutating func takeRun(of index: Int, until: UInt64, into batch: inout TraceBatch) -> UInt64? {
        var taken = lanes[index].taken
        let count = lanes[index].waiting.count
        defer { lanes[index].taken = taken }
        // Takes at least one event; otherwise a lane whose clock went back would never end. Most runs are short.
        while true {
            let event = lanes[index].waiting[taken]
            if event.kind == .lost { batch.lost = batch.lost.plus(event.other) }
            batch.events.append(event)
            batch.lanes.append(UInt16(truncatingIfNeeded: index))
            taken += 1
            guard taken < count else { return nil }
            let next = lanes[index].waiting[taken].time
            if next > until { return next }
        }
    }

    /// Reports events of threads that found no free lane as lost, in no lane.
    private mutating func noteUnplaced(in batch: inout TraceBatch) {
        let count = source.unplaced
        guard count > unplaced else { return }
        batch.events.append(TaskEvent(.lost, at: source.now, other: count - unplaced))
        batch.lanes.append(TraceBatch.noLane)
        batch.lost = batch.lost.plus(count - unplaced)
        unplaced = count
    }
}
