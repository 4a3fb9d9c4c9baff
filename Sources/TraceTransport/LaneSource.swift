import TaskEvents

/// Lanes that can be read: those of this process, of another process, or of a process that has ended.
///
/// Reading changes nothing for the writers, and each reader keeps its own position in each lane. Times are nanoseconds from the trace's
/// start. Every method may be called from any thread.
package protocol LaneSource: AnyObject, Sendable {
    /// The name of the program that wrote the lanes.
    var program: String { get }
    var pid: Int32 { get }
    /// The trace's start in nanoseconds since 1970.
    var startRealtime: UInt64 { get }

    /// The current time of the trace. For a trace that has ended, the time of its last record.
    var now: UInt64 { get }

    /// Sets `heads` to the number of records that each lane has ever received. The index is the lane's number.
    func copyHeads(to heads: inout [UInt64])

    /// Appends the records of a lane from number `next` on, at most `limit`, and moves `next` past them. Returns the number of earlier
    /// records that are gone because the writer overwrote them or because they are damaged.
    func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64

    /// The number of records lost because their thread found no free lane.
    var unplaced: UInt64 { get }

    /// The number of names, sites and errors that did not fit into the table. They show as "…".
    var entriesRefused: UInt64 { get }

    /// Appends the entries that a reader's copy of the table lacks.
    func copyEntries(to table: inout EntryTable)

    /// Whether gates of the program hold jobs. False for a program that does not say.
    var holdsJobs: Bool { get }

    /// The number of places in code that have received names after their entries were read. It only grows.
    var namesFound: Int { get }

    /// Whether names of places in code that a reader has asked for are still being looked up.
    var isFindingNames: Bool { get }
}

extension LaneSource {
    package var namesFound: Int { 0 }
    package var isFindingNames: Bool { false }
    package var holdsJobs: Bool { false }
}

/// The part of a trace that the lanes still hold.
package struct KeptSpan: Hashable, Sendable {
    /// The time of the oldest record that is still in a lane; nil if the lanes are empty.
    package var oldest: UInt64?
    /// The time from which on no record is missing. 0 if no lane has been overrun.
    package var completeSince: UInt64
    /// The number of records that have been overwritten or lost.
    package var overrun: UInt64

    package init(oldest: UInt64? = nil, completeSince: UInt64 = 0, overrun: UInt64 = 0) {
        self.oldest = oldest
        self.completeSince = completeSince
        self.overrun = overrun
    }
}

extension LaneSource {
    /// The number of lanes used so far.
    package var laneCount: UInt32 {
        var heads: [UInt64] = []
        copyHeads(to: &heads)
        return UInt32(heads.count)
    }

    /// The number of records ever written.
    package var recordCount: UInt64 {
        var heads: [UInt64] = []
        copyHeads(to: &heads)
        return heads.reduce(0, &+)
    }

    /// The part of the trace that the lanes hold now. It moves on while the program runs.
    package func kept() -> KeptSpan {
        var span = KeptSpan()
        var heads: [UInt64] = []
        copyHeads(to: &heads)
        for lane in heads.indices where heads[lane] > 0 {
            var next: UInt64 = 0
            var first: [TaskEvent] = []
            let gone = read(lane: UInt32(lane), from: &next, into: &first, limit: 1)
            span.overrun &+= gone
            guard let time = first.first?.time else { continue }
            span.oldest = min(span.oldest ?? time, time)
            if gone > 0 { span.completeSince = max(span.completeSince, time) }
        }
        return span
    }
}
