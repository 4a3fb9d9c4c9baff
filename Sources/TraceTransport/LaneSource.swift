import TaskEvents

/// Lanes that can be read: this process's own, another one's, or those that a dead process left.
///
/// Reading changes nothing for the writers, and each reader keeps its own place in each lane. Times are nanoseconds from the trace's start.
/// Every method may be called from any thread.
package protocol LaneSource: AnyObject, Sendable {
    /// The name of the program that wrote the lanes.
    var program: String { get }
    var pid: Int32 { get }
    /// When the trace began, in nanoseconds since 1970.
    var startRealtime: UInt64 { get }

    /// The trace's time; of a trace that has ended, the time of the last record.
    var now: UInt64 { get }

    /// Sets `heads` to how many records each lane has ever got; a lane's number is its place.
    func copyHeads(to heads: inout [UInt64])

    /// Appends what a lane holds from record `next` on, at most `limit` records, and moves `next` behind them.
    /// Returns how many records before them are gone: overrun by the writer, or damaged.
    func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64

    /// Records of threads that found no lane.
    var unplaced: UInt64 { get }

    /// Names, sites and errors that found no room in the table and show as "…".
    var entriesRefused: UInt64 { get }

    /// Brings a reader's copy of the table up to date.
    func copyEntries(to table: inout EntryTable)

    /// How many places in the program have got names that entries which were there before did not have. It only grows.
    var namesFound: Int { get }
}

extension LaneSource {
    package var namesFound: Int { 0 }
}

/// How far back lanes go.
package struct KeptSpan: Hashable, Sendable {
    /// The time of the oldest record that is still there; nil if there is none.
    package var oldest: UInt64?
    /// From this time on nothing is missing: 0 if no lane has been overrun.
    package var completeSince: UInt64
    /// Records that are gone.
    package var overrun: UInt64

    package init(oldest: UInt64? = nil, completeSince: UInt64 = 0, overrun: UInt64 = 0) {
        self.oldest = oldest
        self.completeSince = completeSince
        self.overrun = overrun
    }
}

extension LaneSource {
    /// How many lanes have been used so far.
    package var laneCount: UInt32 {
        var heads: [UInt64] = []
        copyHeads(to: &heads)
        return UInt32(heads.count)
    }

    /// Records ever written.
    package var recordCount: UInt64 {
        var heads: [UInt64] = []
        copyHeads(to: &heads)
        return heads.reduce(0, &+)
    }

    /// What the lanes hold now. While the program runs, it moves on.
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
