import TaskEvents

extension TraceHistory {
    /// Takes over the names that the recording has learned since; of a live trace they come with its batches. Returns whether there were any.
    package func takeNames() -> Bool {
        guard let recording, recording.entries.symbols.count != latest.entries.symbols.count else { return false }
        latest.entries = recording.entries
        if !isAtLatest { store.entries = recording.entries }
        return true
    }
}

extension HopReader {
    /// Learns the names of what it knows by its place in a program.
    package func learn(_ symbols: [CodePlace: CodeSymbol]) {
        entries.learn(symbols)
    }
}
