import TaskEvents

/// The requests to cancel tasks.
extension TaskTable {
    /// Nil if no request to cancel the task was recorded, and no look of it.
    func cancellation(of task: UnsafePointer<TaskRecord>) -> UnsafePointer<CancellationRecord>? {
        guard let index = knownExtra(of: task)?.pointee.cancellation, index >= 0 else { return nil }
        return cancellations.records.reading(index)
    }

    private mutating func makeCancellation(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<CancellationRecord> {
        let extra = extra(of: task)
        if extra.pointee.cancellation < 0 { extra.pointee.cancellation = cancellations.records.insert(CancellationRecord()) }
        return cancellations.records.writing(extra.pointee.cancellation)
    }

    /// Records the first request to cancel a task.
    mutating func note(request event: EventReference, of task: UnsafeMutablePointer<TaskRecord>) {
        let calls = extra(of: task).pointee.awaited
        let record = makeCancellation(of: task)
        record.pointee.asker = event.other
        record.pointee.at = event.time
        record.pointee.order = cancellations.requests
        record.pointee.site = event.label.rawValue
        record.pointee.calls = calls
        record.pointee.isWaiting = task.pointee.state == .suspended
        record.pointee.manner = event.detail
        cancellations.requests += 1
    }

    /// A task that is known to be in a shield stays in that.
    mutating func beginShield(of task: UnsafeMutablePointer<TaskRecord>, at time: UInt64, calls: UInt32) {
        let record = makeCancellation(of: task)
        guard record.pointee.shield == CancellationRecord.never else { return }
        record.pointee.shield = time
        record.pointee.shieldCalls = calls
    }

    mutating func endShield(of task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) {
        let record = makeCancellation(of: task)
        let (began, asked) = (record.pointee.shield, record.pointee.at)
        record.pointee.shield = CancellationRecord.never
        guard began != CancellationRecord.never, asked != CancellationRecord.never else { return }
        record.pointee.shielded += time - min(max(began, asked), time)
    }

    mutating func noteLook(at time: UInt64, by task: UnsafeMutablePointer<TaskRecord>) {
        let record = makeCancellation(of: task)
        record.pointee.seen = min(record.pointee.seen, time)
    }
}
