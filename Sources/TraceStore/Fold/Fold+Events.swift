import TaskEvents
import TraceTransport

/// The events, each of which changes the tables that it concerns.
extension Fold {
    mutating func apply(_ events: UnsafeBufferPointer<TaskEvent>, lanes: UnsafeBufferPointer<UInt16>) {
        precondition(events.count == lanes.count, "\(events.count) events in \(lanes.count) lanes")
        guard let firstEvent = events.baseAddress, let firstLane = lanes.baseAddress else { return }
        for index in 0..<events.count { apply(EventReference(event: firstEvent + index), lane: firstLane[index]) }
    }

    /// Applies one event.
    @inline(__always)
    mutating func apply(_ event: EventReference, lane: UInt16) {
        let time = event.time
        let previous = eventTime
        if time > eventTime {
            eventTime = time
            if time > now { now = time }
        }
        guard let kind = event.kind else {
            unreadable += 1
            return
        }
        switch kind {
        case .created: created(event)
        case .antecedent: addAntecedent(event)
        case .enqueued: enqueued(event)
        case .started: started(event, lane: lane)
        case .suspended: suspended(event, lane: lane)
        case .resumed: resumed(event, lane: lane)
        case .hopped: hopped(event, lane: lane)
        case .jobEnded: lanes.endJob(event, lane: lane, &executors)
        case .skipped: skipped(event)
        case .completed: end(event, as: .succeeded, lane: lane)
        case .faulted: end(event, as: .faulted, lane: lane)
        case .cancelled: end(event, as: .cancelled, lane: lane)
        case .errorRead: errorRead(event)
        case .released: released(event)
        case .cancellationAsked: cancellationAsked(event)
        case .cancellationSeen: cancellationSeen(event)
        case .shielded: shielded(event)
        case .memory: measured(event)
        case .thread: lanes.take(lane, by: event.other, &executors)
        case .lost: return lost(event, lane: lane, after: previous)
        case .waitBegan: lanes.beginWait(event, lane: lane)
        case .waitEnded: lanes.endWait(event, lane: lane, &tasks)
        case .condition, .completedTwice: break
        case .mark: if event.detail == MarkManner.name.rawValue { named(event) }
        case .choice: if ChoiceManner(rawValue: event.detail)?.isChosen == true { choices += 1 }
        case .adopted: adopted(event)
        case .held: if let row = tasks.row(of: event.task.rawValue) { executors.hold(tasks.records.writing(row)) }
        case .stepped: if let row = tasks.row(of: event.task.rawValue) { executors.letThrough(tasks.records.writing(row)) }
        }
        laneTimes.set(time, of: lane)
        if losses.isOpen, lane != TraceBatch.noLane { losses.close(at: time) }
    }

    /// Events that this one reports as missing may have begun or ended any job so far.
    private mutating func lost(_ event: EventReference, lane: UInt16, after previous: UInt64) {
        if event.detail == LossManner.ofAnyLane.rawValue {
            // Of a damaged part of a file, only its neighbours' times are known.
            losses.add(event, since: previous, isOpen: true)
        } else {
            // Threads without a lane may have written at any time.
            losses.add(event, since: lane == TraceBatch.noLane ? 0 : laneTimes[lane])
        }
        executors.forgetQueues(until: event.time, &tasks)
        if lane != TraceBatch.noLane {
            lanes.interrupt(lane, &executors)
        } else if event.detail == LossManner.ofAnyLane.rawValue {
            lanes.interruptAll(&executors)
        }
    }
}
