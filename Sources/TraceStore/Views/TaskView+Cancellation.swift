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

/// A cancellation shield, in which a task runs as if it were not cancelled.
package struct CancellationShield: Sendable {
    /// The time at which the task entered it, or at which it was found in it.
    package let since: UInt64
    /// The code entry of the calls that began it; `.none` if the trace does not have them.
    package let calls: EntryID
}

extension TaskView {
    /// The shield that the task is in; nil if it is in none.
    package var shield: CancellationShield? {
        guard !state.hasEnded, let record = store.fold.tasks.cancellation(of: record)?.pointee, record.shield != CancellationRecord.never
        else { return nil }
        return CancellationShield(since: record.shield, calls: EntryID(rawValue: record.shieldCalls))
    }

    /// The function that began the task's shield, as the call tells, or the task's latest wait.
    package var shieldPlace: CodeSymbol? {
        guard let shield else { return nil }
        return store.symbol(ofCall: shield.calls) ?? store.entries.shield(in: awaitedCalls)
    }

    /// Nanoseconds that the task has spent in shields since the request to cancel it, of those that it has left.
    package var shieldedTime: UInt64 { store.fold.tasks.cancellation(of: record)?.pointee.shielded ?? 0 }

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
