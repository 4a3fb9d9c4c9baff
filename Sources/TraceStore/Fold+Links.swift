import TaskEvents

/// Antecedents, successors, hops.
///
/// Lists are rings: the record knows the last one, whose next is the first.
extension Fold {
    // MARK: Links

    /// Links a task to the antecedent that its creation names, before all others.
    mutating func linkFirst(_ row: Int32, from: UInt64, at time: UInt64) {
        guard isReadable(from) else { return }
        let task = tasks.writing(row)
        // In its chain first, so that the link is known as one inside the chain.
        if task.pointee.kind.continuesAChain { join(task, chainOf: from, at: time) }
        let (link, record) = makeLink(row, task, from: from, isInner: false, at: time)
        if task.pointee.lastIn >= 0 {
            let last = links.writing(task.pointee.lastIn)
            record.pointee.nextIn = last.pointee.nextIn
            last.pointee.nextIn = link
        } else {
            record.pointee.nextIn = link
            task.pointee.lastIn = link
        }
    }

    mutating func addAntecedent(_ event: TaskEvent) {
        guard event.other != 0, isReadable(event.other) else { return }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        guard event.detail != AntecedentRole.awaited.rawValue else {
            noteAwait(of: event.other, by: task, at: event.time)
            return
        }
        let isInner = event.detail == AntecedentRole.inner.rawValue
        let (link, record) = makeLink(row, task, from: event.other, isInner: isInner, at: event.time)
        if task.pointee.lastIn >= 0 {
            let last = links.writing(task.pointee.lastIn)
            record.pointee.nextIn = last.pointee.nextIn
            last.pointee.nextIn = link
        } else {
            record.pointee.nextIn = link
        }
        task.pointee.lastIn = link
    }

    private mutating func makeLink(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from: UInt64, isInner: Bool, at time: UInt64
    ) -> (index: Int32, record: UnsafeMutablePointer<LinkRecord>) {
        guard let fromRow = self.row(for: from, at: time) else {
            let link = links.insert(LinkRecord(from: ~gone.insert(from), to: row, isInner: isInner))
            return (link, links.writing(link))
        }
        let link = links.insert(LinkRecord(from: fromRow, to: row, isInner: isInner))
        let record = links.writing(link)
        let antecedent = tasks.writing(fromRow)
        if antecedent.pointee.lastOut >= 0 {
            let last = links.writing(antecedent.pointee.lastOut)
            let first = last.pointee.nextOut
            record.pointee.nextOut = first
            record.pointee.previousOut = antecedent.pointee.lastOut
            last.pointee.nextOut = link
            links.writing(first).pointee.previousOut = link
        } else {
            record.pointee.nextOut = link
            record.pointee.previousOut = link
        }
        antecedent.pointee.lastOut = link
        if antecedent.pointee.chain != task.pointee.chain, !task.pointee.marks.contains(.hasLeft) {
            record.pointee.isHolding = true
            task.pointee.marks.insert(.holdsAntecedents)
            hold(antecedent.pointee.chain)
        }
        return (link, record)
    }

    /// Takes a link out of its antecedent's list, if the antecedent is kept, and frees it.
    mutating func free(link: Int32) {
        let record = links.writing(link).pointee
        links.remove(link)
        guard record.from >= 0 else {
            if record.from != LinkRecord.nobody { gone.remove(~record.from) }
            return
        }
        let antecedent = tasks.writing(record.from)
        if record.nextOut == link {
            antecedent.pointee.lastOut = -1
        } else {
            links.writing(record.previousOut).pointee.nextOut = record.nextOut
            links.writing(record.nextOut).pointee.previousOut = record.previousOut
            if antecedent.pointee.lastOut == link { antecedent.pointee.lastOut = record.previousOut }
        }
    }

    /// The antecedent's id, whether it is kept or not.
    func antecedent(of link: LinkRecord) -> UInt64 {
        link.from >= 0 ? tasks.reading(link.from).pointee.id : gone.reading(~link.from).pointee
    }

    /// The first link of a list, by its last.
    func firstIn(of task: UnsafePointer<TaskRecord>) -> Int32 {
        let last = task.pointee.lastIn
        return last < 0 ? -1 : links.reading(last).pointee.nextIn
    }

    // MARK: Hops

    mutating func hopped(_ event: TaskEvent) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        let record = HopRecord(
            at: event.time, from: UInt16(truncatingIfNeeded: event.other), to: event.executor.rawValue,
            manner: HopManner(rawValue: event.detail) ?? .dispatched, count: event.other >> 16)
        // What runs on an actor that was free, no record says to have begun.
        if record.manner == .inline { executor(record.to).pointee.jobs += Int(clamping: record.count) }
        let hop = hops.insert(record)
        let last = task.pointee.lastHop
        guard last >= 0 else {
            hops.writing(hop).pointee.next = hop
            task.pointee.lastHop = hop
            takeWait(ofLate: hop, task)
            return
        }
        var previous = last
        if hops.writing(last).pointee.at > event.time {
            var next = hops.writing(last).pointee.next
            while hops.writing(next).pointee.at <= event.time {
                previous = next
                next = hops.writing(next).pointee.next
            }
        }
        hops.writing(hop).pointee.next = hops.writing(previous).pointee.next
        hops.writing(previous).pointee.next = hop
        if hops.writing(last).pointee.at <= event.time { task.pointee.lastHop = hop }
        takeWait(ofLate: hop, task)
    }

    /// A hop that comes after its job has begun takes its wait from the task's moments.
    private mutating func takeWait(ofLate hop: Int32, _ task: UnsafeMutablePointer<TaskRecord>) {
        guard !task.pointee.marks.contains(.owesEnqueued), let started = time(.started, of: task), let queued = time(.queued, of: task),
            queued >= hops.writing(hop).pointee.at
        else { return }
        hops.writing(hop).pointee.wait = started > queued ? started - queued : 0
    }

    /// The latest hop of a task that happened by `time`.
    func lastHop(of task: UnsafePointer<TaskRecord>, by time: UInt64) -> Int32? {
        let last = task.pointee.lastHop
        guard last >= 0 else { return nil }
        if hops.reading(last).pointee.at <= time { return last }
        var found: Int32?
        var hop = hops.reading(last).pointee.next
        while hops.reading(hop).pointee.at <= time {
            found = hop
            hop = hops.reading(hop).pointee.next
        }
        return found
    }
}

extension TaskKind {
    /// Whether such a task belongs to its first antecedent's chain; the others begin one.
    var continuesAChain: Bool {
        switch self {
        case .continuation, .asyncLet, .groupChild, .internal: true
        case .root, .join, .delay, .source, .unstructured, .detached: false
        }
    }
}
