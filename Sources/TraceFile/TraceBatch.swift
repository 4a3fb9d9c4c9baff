import TaskEvents
import TraceTransport

/// Events in the trace's one order.
package struct TraceBatch: Sendable {
    /// The lane of a `.lost` event that is in no lane's place.
    package static let noLane = UInt16.max

    package var events: [TaskEvent]
    /// The lane of each event.
    package var lanes: [UInt16]
    /// How many events the `.lost` ones in it stand for.
    package var lost: UInt64
    /// The lanes that it comes from, for the names and errors that its events refer to; nil where the store has them already.
    package var source: (any LaneSource)?

    package init(events: [TaskEvent] = [], lanes: [UInt16] = [], lost: UInt64 = 0, source: (any LaneSource)? = nil) {
        self.events = events
        self.lanes = lanes
        self.lost = lost
        self.source = source
    }

    package var isEmpty: Bool { events.isEmpty }

    /// Adds what came next.
    package mutating func append(_ next: TraceBatch) {
        events.append(contentsOf: next.events)
        lanes.append(contentsOf: next.lanes)
        lost += next.lost
    }
}
