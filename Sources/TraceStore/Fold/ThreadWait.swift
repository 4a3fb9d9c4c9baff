import TaskEvents

/// A thread that blocks until a task has ended, or in a call of another kind.
package struct ThreadWait: Hashable, Sendable {
    /// The awaited task; `.none` if the thread waits for something other than a task.
    package var task: TaskID
    /// The task whose body blocks; `.none` outside every body.
    package var waiter: TaskID
    package var since: UInt64
    /// The label with the calls on the thread's stack; `.none` if the trace has no calls.
    package var calls: EntryID
}

extension Fold {
    mutating func waitBegan(_ event: EventPlace, lane: UInt16) {
        self.lane(lane).pointee.wait = ThreadWait(
            task: event.task, waiter: TaskID(rawValue: event.other), since: event.time, calls: event.label)
    }

    mutating func waitEnded(lane: UInt16) {
        lanes.find(lane)?.pointee.wait = nil
    }
}

extension TraceStore {
    /// The wait of the thread that uses a lane; nil while the thread does not block.
    package func threadWait(onLane lane: Int) -> ThreadWait? {
        UInt16(exactly: lane).flatMap { fold.lanes.find($0)?.pointee.wait }
    }
}

extension TaskView {
    /// The wait of the thread that runs the body; nil if the body does not block.
    package var threadWait: ThreadWait? {
        guard state == .running, let wait = store.threadWait(onLane: lane), wait.waiter == id else { return nil }
        return wait
    }

    /// The time at which the task's job entered its present queue, in nanoseconds. Nil if the task is not queued.
    package var queuedSince: UInt64? {
        guard state == .queued else { return nil }
        return store.fold.queued.reading(Int32(bitPattern: record.pointee.errorOrNode)).pointee.since
    }
}
