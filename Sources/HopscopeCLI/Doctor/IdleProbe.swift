import TaskEvents
import TraceStore
import TraceTransport

extension RegionFile {
    /// The reason why the probe is idle in the process. Nil if the trace contains anything else.
    var reasonOfIdleProbe: String? {
        // An idle probe leaves two records: the lane's thread, and the mark with the reason.
        guard recordCount <= 2 else { return nil }
        var entries = EntryTable()
        copyEntries(to: &entries)
        guard entries.swiftRoutes.isEmpty else { return nil }
        var marks: [TaskEvent] = []
        var merger = LaneMerger(source: self)
        merger.drain { batch in marks += batch.events.filter { $0.kind == .mark } }
        return marks.first.map { entries.text($0.label) }
    }
}
