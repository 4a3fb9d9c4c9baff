import TaskEvents
import TraceFile
import TraceStore

/// Going through time: the cursor, and what is derived from the state at it.
extension Model {
    /// Events between two states from which the graph's rows follow one by one; over more it is laid out anew.
    private static let rowByRowLimit = 16_384

    mutating func perform(_ command: TimeCommand) {
        warnings.walk = nil
        switch command {
        case .pause where history.isAtLatest:
            travel { $0.seek(to: $0.position) }
        case .pause:
            travel { $0.seekToLatest() }
        case .latest where history.isAtLatest:
            move(.last)
        case .latest:
            travel { $0.seekToLatest() }
        case .back(let step):
            take(step, .back)
        case .forward(let step):
            take(step, .forward)
        }
    }

    private mutating func take(_ step: TimeStep, _ direction: TraceHistory.Direction) {
        let search: EventSearch
        switch step {
        case .event: search = .any
        case .fault: search = .fault
        case .hop: search = .hop
        case .chain:
            guard let task = selection, let chain = (store.task(task) ?? history.latest.task(task))?.chain else {
                notice = "Select a task first: the steps are those of its chain."
                return
            }
            search = .chain(chain)
        }
        guard let number = history.find(search, direction) else {
            notice = "There is no \(word(of: step)) \(direction == .back ? "before this one." : "after this one.")"
            return
        }
        travel { $0.seek(to: number) }
        // By event one looks at the whole; otherwise at the task that it is about.
        if step != .event, let task = history.event(number: number)?.event.task, task != .none { follow(task) }
    }

    /// Puts the cursor to the last event up to a time, as far as events are remembered; past the latest it follows again.
    mutating func go(toTime time: UInt64) {
        guard let last = history.event(number: history.eventCount)?.event, time < last.time else {
            travel { $0.seekToLatest() }
            return
        }
        // Events stand in the order of their times, but for those that threads wrote at once.
        let first = max(1, history.firstPosition)
        var low = first
        var high = history.eventCount
        while low < high {
            let middle = (low + high) / 2
            if let event = history.event(number: middle)?.event, event.time > time { high = middle } else { low = middle + 1 }
        }
        let number = max(first, low - 1)
        travel { $0.seek(to: number) }
    }

    private func word(of step: TimeStep) -> String {
        switch step {
        case .event: "event"
        case .fault: "fault"
        case .hop: "hop"
        case .chain: "event of that chain"
        }
    }

    /// Moves the cursor, and brings along everything that is derived from where it was.
    private mutating func travel(_ go: (TraceHistory) -> Void) {
        let (start, epoch) = (store.eventCount, history.epoch)
        go(history)
        let passed = history.passed(between: start, and: store.eventCount, limit: Self.rowByRowLimit)
        if history.epoch == epoch, let passed {
            for stretch in passed { note(stretch.events) }
        } else {
            graph.travel(over: passed, to: store)
            faults.restart()
        }
        restart()
    }

    /// What is derived at a calm pace is derived at once with the next frame.
    private mutating func restart() {
        tasks.order.restart()
        graph.boxes.restart()
        hops.restart()
        warnings.restart()
        swimlanes.restart()
        detail?.restart()
        showTimeCursor()
    }

    /// Shows the state at an event, or the latest, whatever was shown before.
    mutating func look(at number: Int?) {
        if let number { history.seek(to: number) } else { history.seekToLatest() }
        graph.travel(over: nil, to: store)
        faults.restart()
        restart()
    }

    /// What has come is shown.
    mutating func note(_ events: [TaskEvent]) {
        graph.note(events, in: store)
        faults.list.note(events)
    }
}
