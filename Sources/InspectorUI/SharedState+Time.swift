import TaskEvents
import TraceStore

/// The unit of a step through the events.
enum TimeStep: Hashable, Sendable {
    case event, fault, hop
    /// The next event of the selected task's chain.
    case chain

    fileprivate var word: String {
        switch self {
        case .event: "event"
        case .fault: "fault"
        case .hop: "hop"
        case .chain: "event of that chain"
        }
    }
}

/// Moving the time cursor. Screens derive their state anew in ``Screen/restart(_:)``.
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

    mutating func take(_ step: TimeStep, _ direction: TraceHistory.Direction) -> [Effect] {
        findings.walk = nil
        let search: EventSearch
        switch step {
        case .event: search = .any
        case .fault: search = .fault
        case .hop: search = .hop
        case .chain:
            guard let task = subject, let chain = (store.task(task) ?? history.latest.task(task))?.chain else {
                notice = "Select a task first: the steps are those of its chain."
                return []
            }
            search = .chain(chain)
        }
        guard let number = history.find(search, direction) else {
            notice = "There is no \(step.word) \(direction == .back ? "before this one." : "after this one.")"
            return []
        }
        look(at: number)
        // A step by event concerns the whole trace. Any other step selects the event's task.
        if step != .event, let task = history.event(number: number)?.event.task, task != .none { follow(task) }
        return []
    }

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
            if let number { history.seek(to: number) } else { history.seekToLatest() }
        }
    }

    private mutating func travel(_ go: (TraceHistory) -> Void) {
        go(history)
        requests.hasTravelled = true
    }
}
