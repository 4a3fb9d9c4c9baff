import TaskEvents

/// Takes the events of all lanes of a bus and puts them in one order, by time.
///
/// A round reads every lane up to a horizon taken before the first: what is later waits for the next round, because another lane may still
/// get something earlier. Only a writer that was interrupted between taking the time and publishing can come late, and a fold accepts that.
/// Not thread-safe; one merger a bus.
package struct LaneMerger {
    private let bus: EventBus
    private var lanes: [Lane] = []
    private var knownEntries = EntryTable()

    /// What has been read of one lane and not handed out.
    private struct Lane {
        var next: UInt64 = 0
        var waiting: [TaskEvent] = []
        /// Of `waiting`, how many have been handed out.
        var taken = 0

        var head: UInt64? { taken < waiting.count ? waiting[taken].time : nil }
    }

    package init(bus: EventBus) {
        self.bus = bus
    }
}
