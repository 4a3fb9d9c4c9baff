import TaskEvents
import TraceStore

extension TraceStore {
    /// The time since `time` in words: `3.2 s`. In a trace of snapshots `at least 3.2 s`, because the snapshot that showed a beginning is
    /// later than the beginning. So for a task that was there before the probe was loaded. Of a task that runs or is queued, `3.2 s in each
    /// snapshot`: it may have done something else between two of them.
    ///
    /// - Parameters:
    ///   - task: the task that waits.
    ///   - end: the time of the trace up to which the wait has lasted. Nil for now.
    package func elapsed(since time: UInt64, of task: TaskID = .none, until end: UInt64? = nil, isASCII: Bool = false) -> String {
        let end = end ?? now
        let text = DurationText.text(end > time ? end - time : 0, isASCII: isASCII)
        let task = self.task(task)
        guard isSampled else { return task?.mayBeOlder(than: time) ?? false ? "at least \(text)" : text }
        return task?.state == .running || task?.state == .queued ? "\(text) in each snapshot" : "at least \(text)"
    }
}
