import TaskEvents

/// Events in the trace's one order, and what else a reader found on the way.
package struct TraceBatch: Sendable {
    package var events: [TaskEvent]
    /// The lane of each event.
    package var lanes: [UInt16]
    /// Entries of the trace's table that are new with this batch; the events refer to these and to earlier ones.
    package var newEntries: [Entry]
    /// How many events the `.lost` ones in it stand for.
    package var lost: UInt64

    package init(events: [TaskEvent] = [], lanes: [UInt16] = [], newEntries: [Entry] = [], lost: UInt64 = 0) {
        self.events = events
        self.lanes = lanes
        self.newEntries = newEntries
        self.lost = lost
    }

    package var isEmpty: Bool { events.isEmpty && newEntries.isEmpty }
}
