import TaskEvents

/// The time that bodies spend on executors: a slice that takes free actors has a stay on each, and the time belongs to the executor it is on.
extension Fold {
    /// Stays that are shorter than this and between others have no job of their own in the history.
    private static var shortestStay: UInt64 { 1000 }

    /// A slice has gone on to an executor without waiting, once or several times.
    mutating func endStay(_ event: EventPlace, _ hops: InlineHops, lane: UInt16) {
        let id = event.task.rawValue
        guard let move = lanes.find(lane)?.pointee.move(id, to: event.executor.rawValue, at: event.time, told: hops.nanoseconds) else {
            return
        }
        let isOne = hops.count == 1
        noteTime(move.told, of: id, on: hops.from.rawValue, isWhole: isOne)
        guard isOne else { return }
        var began = max(move.before.since, event.time - min(event.time, move.told))
        if move.before.executor == hops.from.rawValue {
            began = move.before.since
        } else if began - move.before.since >= Self.shortestStay {
            addJob(of: id, from: move.before.since, until: began, on: move.before.executor, lane: lane)
        }
        addJob(of: id, from: began, until: event.time, on: hops.from.rawValue, lane: lane)
    }

    /// A body has come back. `executor` is the one that it was on at the end, 0 for the one that is known.
    mutating func finish(_ frame: LaneState.Frame, lane: UInt16, at time: UInt64, on executor: UInt16 = 0) {
        let last = executor != 0 ? executor : frame.executor
        let total = time > frame.began ? time - frame.began : 0
        noteTime(total > frame.told ? total - frame.told : 0, of: frame.task, on: last, isWhole: true)
        let stay = time > frame.since ? time - frame.since : 0
        guard frame.told == 0 || stay >= Self.shortestStay else { return }
        addJob(of: frame.task, from: frame.since, until: time, on: last, lane: lane)
    }

    /// `isWhole` is false for the sum of several stays.
    private mutating func noteTime(_ nanoseconds: UInt64, of task: UInt64, on id: UInt16, isWhole: Bool) {
        let executor = executor(id)
        if isWhole { executor.pointee.noteRun(of: task, nanoseconds: nanoseconds) } else { executor.pointee.busy &+= nanoseconds }
    }

    private mutating func addJob(of task: UInt64, from since: UInt64, until: UInt64, on id: UInt16, lane: UInt16) {
        let job = JobRecord(task: TaskID(rawValue: task), since: since, until: until, executor: ExecutorID(rawValue: id), lane: lane)
        jobs.append(job, isMain: executor(id).pointee.kind == .main)
    }
}
