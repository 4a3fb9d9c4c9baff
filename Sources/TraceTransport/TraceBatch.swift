import TaskEvents

/// Events of all lanes, merged into one order.
package struct TraceBatch: Sendable {
    /// The lane of a `.lost` event that belongs to no lane.
    package static let noLane = UInt16.max

    package var events: [TaskEvent]
    /// The lane of each event.
    package var lanes: [UInt16]
    /// The number of missing events that the batch's `.lost` events count.
    package var lost: UInt64
    /// The lanes that the events come from. Their table holds the names and errors that the events refer to. Nil if the store already has
    /// the entries.
    package var source: (any LaneSource)?
    /// All events up to this time are in this batch or in earlier ones, if the batch comes from lanes. In the unit of the events' times.
    package var isCompleteUntil: UInt64 = 0

    package init(events: [TaskEvent] = [], lanes: [UInt16] = [], lost: UInt64 = 0, source: (any LaneSource)? = nil) {
        self.events = events
        self.lanes = lanes
        self.lost = lost
        self.source = source
    }

    package var isEmpty: Bool { events.isEmpty }

    /// Appends the batch that follows this one.
    package mutating func append(_ next: TraceBatch) {
        events.append(contentsOf: next.events)
        lanes.append(contentsOf: next.lanes)
        lost = lost.plus(next.lost)
    }
}
