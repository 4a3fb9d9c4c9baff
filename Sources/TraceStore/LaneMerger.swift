import TaskEvents
import TraceFile
import TraceTransport

/// Takes the events of all lanes of a source and puts them in one order, by time.
///
/// A round reads every lane and hands out what is not later than a horizon taken before: what is later waits, because another lane may
/// still get something earlier. Only a writer that was interrupted between taking the time and publishing comes late, and a fold accepts
/// that. What a lane has lost stands in its place as a `.lost` event. Not thread-safe; one merger a reader.
package struct LaneMerger {
    /// Events of one lane that wait at most, which bounds a round and the memory between rounds.
    private static var waitingLimit: Int { 16_384 }
    private static var readSize: Int { 1024 }

    private let source: any LaneSource
    private var lanes: [Lane] = []
    /// How far each lane had come when the round began: an idle one is not looked at.
    private var laneHeads: [UInt64] = []
    private var unplaced: UInt64 = 0
    private var heads = HeadHeap()

    /// What has been read of one lane and not handed out.
    private struct Lane {
        var next: UInt64 = 0
        var waiting: [TaskEvent] = []
        /// Of `waiting`, how many have been handed out.
        var taken = 0

        /// Frees what has been handed out, once it is the greater part.
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

    /// What has come up to now, in order. Empty if nothing has; at most so much that another round may find more at once.
    package mutating func round() -> TraceBatch {
        let horizon = source.now
        return merge(upTo: min(horizon, readLanes(horizon: horizon)))
    }

    /// Everything that was emitted before the call, in order, in batches.
    package mutating func drain(_ handOut: (TraceBatch) throws -> Void) rethrows {
        let end = source.now
        while true {
            let horizon = readLanes(horizon: end)
            try handOut(merge(upTo: horizon))
            // Every lane has been read to its end, or beyond what was asked for.
            if horizon > end { return }
        }
    }

    /// Reads what the lanes have. Returns the time up to which nothing has been left unread for want of room.
    private mutating func readLanes(horizon: UInt64) -> UInt64 {
        source.copyHeads(to: &laneHeads)
        while lanes.count < laneHeads.count { lanes.append(Lane()) }
        var complete = UInt64.max
        for index in laneHeads.indices where laneHeads[index] > lanes[index].next {
            if let last = read(&lanes[index], number: UInt32(index), horizon: horizon) { complete = min(complete, last) }
        }
        return complete
    }

    /// Returns a time up to which the lane has been read, if it may have more.
    private func read(_ lane: inout Lane, number: UInt32, horizon: UInt64) -> UInt64? {
        var gone: UInt64 = 0
        while lane.waiting.count - lane.taken < Self.waitingLimit {
            let before = lane.waiting.count
            let lost = source.read(lane: number, from: &lane.next, into: &lane.waiting, limit: Self.readSize)
            gone += lost
            if lane.waiting.count > before {
                // In the place of the first record that is there, and of its time: a whole read may have been overrun, and then what comes
                // next is older than now.
                if gone > 0 { lane.waiting.insert(TaskEvent(.lost, at: lane.waiting[before].time, other: gone), at: before) }
                gone = 0
            } else if lost == 0 {
                if gone > 0 { lane.waiting.append(TaskEvent(.lost, at: horizon, other: gone)) }
                return nil
            }
            if let last = lane.waiting.last, last.time > horizon { return nil }
        }
        // Never before what is next, or a lane whose clock went back would stand still.
        return max(lane.waiting[lane.taken].time, lane.waiting[lane.waiting.count - 1].time)
    }

    private mutating func merge(upTo horizon: UInt64) -> TraceBatch {
        var batch = TraceBatch(source: source)
        noteUnplaced(in: &batch)
        heads.removeAll()
        for index in lanes.indices where lanes[index].taken < lanes[index].waiting.count {
            let time = lanes[index].waiting[lanes[index].taken].time
            if time <= horizon { heads.insert(HeadHeap.Head(time: time, lane: UInt16(truncatingIfNeeded: index))) }
        }
        while let head = heads.first {
            // From the earliest lane, all that is not later than the next lane's head.
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

    /// Hands out a lane's events up to a time. Returns the time of the next one.
    private mutating func takeRun(of index: Int, until: UInt64, into batch: inout TraceBatch) -> UInt64? {
        let start = lanes[index].taken
        var end = start
        let next: UInt64? = lanes[index].waiting.withUnsafeBufferPointer { waiting in
            // At least one: a lane whose clock went back would otherwise never end.
            repeat {
                if waiting[end].kind == .lost { batch.lost += waiting[end].other }
                end += 1
            } while end < waiting.count && waiting[end].time <= until
            batch.events.append(contentsOf: waiting[start..<end])
            return end < waiting.count ? waiting[end].time : nil
        }
        batch.lanes.append(contentsOf: repeatElement(UInt16(truncatingIfNeeded: index), count: end - start))
        lanes[index].taken = end
        return next
    }

    /// Events of threads that found no lane are lost as well, in no lane's place.
    private mutating func noteUnplaced(in batch: inout TraceBatch) {
        let count = source.unplaced
        guard count > unplaced else { return }
        batch.events.append(TaskEvent(.lost, at: source.now, other: count - unplaced))
        batch.lanes.append(TraceBatch.noLane)
        batch.lost += count - unplaced
        unplaced = count
    }
}
