import TaskEvents
import TraceStore

extension SnapshotReport {
    /// The tasks as the state of a trace, so that a query can choose among them. They keep their numbers. The trace begins and ends with
    /// the snapshot, so it shows states and waits, and no times.
    package func store() -> TraceStore {
        let store = TraceStore()
        var events = SnapshotEvents()
        let placed = events.events(of: snapshot, symbols, at: 0)
        var entries = EntryTable()
        for entry in events.entries { entries.append(entry) }
        store.entries = entries
        for placed in placed { store.apply(placed.event, lane: placed.lane) }
        return store
    }
}
