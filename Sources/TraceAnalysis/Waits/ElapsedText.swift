import TraceStore

extension TraceStore {
    /// The time since `time` in words: `3.2 s`. In a trace of snapshots `at least 3.2 s`, because the snapshot that showed a beginning is
    /// later than the beginning.
    package func elapsed(since time: UInt64, isASCII: Bool = false) -> String {
        let text = DurationText.text(now > time ? now - time : 0, isASCII: isASCII)
        return isSampled ? "at least \(text)" : text
    }
}
