import TaskEvents

/// The time that bodies spend on executors. A slice that enters free actors has a stay on each, and the time of a stay belongs to its
/// executor.
extension Fold {
    /// Stays shorter than this, in nanoseconds, have no job of their own in the history if they lie between other stays.
    private static var shortestStay: UInt64 { 1000 }

    /// A slice has moved to another executor without waiting, once or several times.
    mutating func endStay(_ event: EventPlace, _ hops: InlineHops, lane: UInt16) {
        let id = event.task.rawValue
        guard let move = lanes.find(lane)?.pointee.move(id, to: event.executor.rawValue, at: event.time, told: hops.nanoseconds) else {
            return
        }
        let isOne = hops.count == 1
        noteTime(move.told, of: move.before, on: hops.from.rawValue, isWhole: isOne)
        guard isOne else { return }
        var began = max(move.before.since, event.time - min(event.time, move.told))
        if move.before.executor == hops.from.rawValue {
            began = move.before.since
        } else if began - move.before.since >= Self.shortestStay {
            addJob(of: move.before, from: move.before.since, until: began, on: move.before.executor, lane: lane)
        }
        addJob(of: move.before, from: began, until: event.time, on: hops.from.rawValue, lane: lane)
    }

    /// A body has returned. `executor` is its last executor; 0 stands for the executor in `frame`.
    mutating func finish(_ frame: LaneState.Frame, lane: UInt16, at time: UInt64, on executor: UInt16 = 0) {
        let last = executor != 0 ? executor : frame.executor
        let total = time > frame.began ? time - frame.began : 0
        noteTime(total > frame.told ? total - frame.told : 0, of: frame, on: last, isWhole: true)
        let stay = time > frame.since ? time - frame.since : 0
        guard frame.told == 0 || stay >= Self.shortestStay else { return }
        addJob(of: frame, from: frame.since, until: time, on: last, lane: lane)
    }

    /// - Parameter isWhole: false for the sum of several stays.
    private mutating func noteTime(_ nanoseconds: UInt64, of frame: LaneState.Frame, on id: UInt16, isWhole: Bool) {
        let executor = executor(id)
        if isWhole {
            executor.pointee.noteRun(of: frame.task, label: frame.label, nanoseconds: nanoseconds)
        } else {
            executor.pointee.busy &+= nanoseconds
        }
    }

    private mutating func addJob(of frame: LaneState.Frame, from since: UInt64, until: UInt64, on id: UInt16, lane: UInt16) {
        let job = JobRecord(
            task: TaskID(rawValue: frame.task), since: since, until: until, executor: ExecutorID(rawValue: id), lane: lane,
            label: EntryID(rawValue: frame.label))
        jobs.append(job, isMain: executor(id).pointee.kind == .main)
    }
}
