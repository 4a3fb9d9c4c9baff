import TaskEvents

/// The request to cancel a task, which the task may ignore.
package struct RequestedCancellation: Sendable {
    /// The task whose code made the request; `.none` if no task did.
    package let asker: TaskID
    /// The time of the request, in nanoseconds. A look that is recorded before the request proves that the task was cancelled by then.
    package let at: UInt64
    /// The number of requests to cancel other tasks before this one.
    package let order: UInt64
    package let manner: CancellationRequest
    /// The label of the place that made the request; `.none` if the trace does not have it.
    package let site: EntryID
    /// The time at which the task first found that it is cancelled. Nil if the trace has no look.
    package let seen: UInt64?
    /// The code entry of the calls that the task awaited at the time of the request; `.none` if it did not wait.
    package let calls: EntryID
    /// The same; if the task did not wait, of its last wait before the request.
    package let lastCalls: EntryID
}

extension TaskView {
    /// Whether the task was asked to cancel. It may have continued nevertheless.
    package var isAskedToStop: Bool { record.pointee.flags.contains(.isAskedToStop) }

    /// The first request to cancel the task; nil if there was none.
    package var requestedCancellation: RequestedCancellation? {
        guard isAskedToStop, let record = store.fold.tasks.cancellation(of: record)?.pointee else { return nil }
        let seen = record.seen == CancellationRecord.never ? nil : record.seen
        return RequestedCancellation(
            asker: TaskID(rawValue: record.asker), at: min(record.at, seen ?? .max), order: record.order,
            manner: CancellationRequest(rawValue: record.manner) ?? .unstated, site: EntryID(rawValue: record.site),
            seen: seen,
            calls: EntryID(rawValue: record.isWaiting ? record.calls : 0), lastCalls: EntryID(rawValue: record.calls))
    }

    /// The task whose body requested the cancellation; `.none` if no task did.
    package var asker: TaskID { requestedCancellation?.asker ?? .none }
}
