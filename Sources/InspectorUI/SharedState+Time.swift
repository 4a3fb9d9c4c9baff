import TaskEvents
import TraceStore

/// Moving the time cursor. Layers derive their state anew in ``Layer/restart(_:)``.
extension SharedState {
    /// Stops at the current event, or follows new events again.
    mutating func pause() -> [Effect] {
        findings.walk = nil
        travel { $0.isAtLatest ? $0.seek(to: $0.position) : $0.seekToLatest() }
        return []
    }

    mutating func goLive() {
        findings.walk = nil
        travel { $0.seekToLatest() }
    }

    mutating func take(_ step: TimeStep, _ direction: EventWalk.Direction) -> [Effect] {
        findings.walk = nil
        let search: EventSearch
        switch step {
        case .event: search = .any
        case .fault: search = .fault
        case .hop: search = .hop
        case .remark: search = .remark
        case .chain:
            guard let task = subject, let chain = (store.task(task) ?? history.latest.task(task))?.chain else {
                notice = "Select a task first: the steps go along its chain."
                return []
            }
            search = .chain(chain)
        }
        // A recording opens at its end, after all its remarks.
        let first = step == .remark && direction == .forward && isAtEndOfRecording ? history.firstPosition : nil
        stepping = (step, EventWalk(search, direction, in: history, from: first))
        lookForStep()
        return []
    }

    /// Searches a portion of the trace for the event of the last step, and moves the cursor there.
    private mutating func lookForStep() {
        guard let (step, begun) = stepping else { return }
        var walk = begun
        switch history.advance(&walk, limit: Self.searchPortion) {
        case .unfinished: stepping = (step, walk)
        case .nothing:
            stepping = nil
            notice = "There is no \(step.word) \(walk.direction == .back ? "before this one." : "after this one.")"
        case .found(let number):
            look(at: number)
            // A step by event concerns the whole trace. Any other step selects the event's task.
            if step != .event, let task = history.event(number: number)?.event.task, task != .none { follow(task) }
        }
    }

    /// Where the time cursor is and where it is going.
    var cursorPosition: [Int?] { [history.isAtLatest ? nil : history.position, history.goal] }

    /// Moves the cursor to the last remembered event up to a time. Past the latest event, follows new events again.
    mutating func go(toTime time: UInt64) {
        guard let last = history.event(number: history.eventCount)?.event, time < last.time else { return look(at: nil) }
        // Events are sorted by time, except events that threads wrote at the same time.
        let first = max(1, history.firstPosition)
        let next = (first..<history.eventCount).partitioningIndex { number in
            history.event(number: number).map { $0.event.time > time } ?? false
        }
        look(at: max(first, next - 1))
    }

    /// Shows the state at an event, or the latest state if nil.
    mutating func look(at number: Int?) {
        travel { history in
            if let number { history.seek(to: number, limit: Self.travelPortion) } else { history.seekToLatest() }
        }
    }

    /// The number of events that a frame folds on the way to the time cursor's goal.
    private static let travelPortion = 1 << 17
    /// The number of events that a frame searches for the event of a step. Those of a chain take two look-ups each.
    static let searchPortion = 1 << 16

    /// Goes on with the search for a step, or brings the time cursor nearer to its goal. On the way it shows the states that it passes.
    mutating func travelOn() {
        lookForStep()
        guard history.goal != nil else { return }
        travel { $0.travelOn(limit: Self.travelPortion) }
    }

    private mutating func travel(_ go: (TraceHistory) -> Void) {
        stepping = nil
        go(history)
        requests.hasTravelled = true
    }
}

extension SharedState {
    /// The time without an event, in nanoseconds, if it is so long that a look at the program from outside is worth its cost. Nil where nothing can
    /// be looked at.
    var silence: UInt64? {
        let latest = history.latest
        guard program.canBeLookedAt, !program.hasEnded, history.isAtLatest, !latest.isSampled, latest.openCount > 0,
            latest.now >= latest.lastEvent + StuckSearch.silence
        else { return nil }
        return latest.now - latest.lastEvent
    }
}
