import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

extension RegionFile {
    /// Why the probe is idle in the process, if the trace holds that reason and nothing else.
    var reasonOfIdleProbe: String? {
        // The lane's thread and the note.
        guard recordCount <= 2 else { return nil }
        var entries = EntryTable()
        copyEntries(to: &entries)
        guard entries.swiftRoutes.isEmpty else { return nil }
        var notes: [TaskEvent] = []
        var merger = LaneMerger(source: self)
        merger.drain { batch in notes += batch.events.filter { $0.kind == .mark } }
        return notes.first.map { entries.text($0.label) }
    }
}
