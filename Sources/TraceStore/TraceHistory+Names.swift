import TaskEvents
import TraceFile

extension TraceHistory {
    /// Takes over the names that the recording has learned since; of a live trace they come with its batches. Returns whether there were any.
    package func takeNames() -> Bool {
        guard let recording, recording.entries.symbols.count != latest.entries.symbols.count else { return false }
        latest.entries = recording.entries
        if !isAtLatest { store.entries = recording.entries }
        return true
    }
}
