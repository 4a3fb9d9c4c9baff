import TaskEvents

/// Antecedents and successors.
///
/// Lists are rings: a task's record refers to the last link, whose next link is the first.
extension Fold {
    /// Links a task to the antecedent that its `created` record names. The link precedes all others.
    mutating func linkFirst(_ row: Int32, from: UInt64, at time: UInt64) {
        guard isReadable(from) else { return }
        let task = tasks.writing(row)
        // Joins the chain first, so that the link is recognised as one within the chain.
        if task.pointee.kind.continuesAChain { join(task, chainOf: from, at: time) }
        let link = makeLink(row, task, from: from, isInner: false, at: time)
        if task.pointee.lastIn < 0 { task.pointee.lastIn = link }
    }

    mutating func addAntecedent(_ event: EventPlace) {
        guard event.other != 0, isReadable(event.other) else { return }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        guard event.detail != AntecedentRole.awaited.rawValue else {
            noteAwait(of: event.other, by: task, at: event.time)
            return
        }
        let isInner = event.detail == AntecedentRole.inner.rawValue
        task.pointee.lastIn = makeLink(row, task, from: event.other, isInner: isInner, at: event.time)
    }

    /// Links a new task to the antecedent whose chain it belongs to.
    @inline(__always)
    mutating func linkInChain(_ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from: Int32) {
        let (link, record) = links.add(LinkRecord(from: from, to: row, isInner: false))
        record.pointee.nextIn = link
        task.pointee.lastIn = link
        addSuccessor(link, record, of: tasks.writing(from))
    }

    /// Puts a link into the task's ring after the last one. There the link is the first, unless the caller makes it the last.
    private mutating func makeLink(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from: UInt64, isInner: Bool, at time: UInt64
    ) -> Int32 {
        let (link, record) = newLink(row, task, from: from, isInner: isInner, at: time)
        record.pointee.nextIn = link
        if task.pointee.lastIn >= 0 {
            let last = links.writing(task.pointee.lastIn)
            record.pointee.nextIn = last.pointee.nextIn
            last.pointee.nextIn = link
        }
        return link
    }

    private mutating func newLink(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from: UInt64, isInner: Bool, at time: UInt64
    ) -> (index: Int32, record: UnsafeMutablePointer<LinkRecord>) {
        guard let fromRow = self.row(for: from, at: time) else {
            return links.add(LinkRecord(from: ~gone.insert(from), to: row, isInner: isInner))
        }
        let (link, record) = links.add(LinkRecord(from: fromRow, to: row, isInner: isInner))
        let antecedent = tasks.writing(fromRow)
        addSuccessor(link, record, of: antecedent)
        if antecedent.pointee.chain != task.pointee.chain, !task.pointee.marks.contains(.hasLeft) {
            record.pointee.isHolding = true
            task.pointee.marks.insert(.holdsAntecedents)
            hold(antecedent.pointee.chain)
        }
        return (link, record)
    }

    /// Appends a link to the antecedent's successors.
    @inline(__always)
    private mutating func addSuccessor(
        _ link: Int32, _ record: UnsafeMutablePointer<LinkRecord>, of antecedent: UnsafeMutablePointer<TaskRecord>
    ) {
        let last = antecedent.pointee.lastOut
        antecedent.pointee.lastOut = link
        guard last >= 0 else {
            record.pointee.nextOut = link
            record.pointee.previousOut = link
            return
        }
        let lastRecord = links.writing(last)
        let first = lastRecord.pointee.nextOut
        record.pointee.nextOut = first
        record.pointee.previousOut = last
        lastRecord.pointee.nextOut = link
        links.writing(first).pointee.previousOut = link
    }

    /// Frees a link, and removes it from its antecedent's list if the antecedent is kept.
    mutating func free(link: Int32) {
        let record = links.writing(link).pointee
        links.remove(link)
        guard record.from >= 0 else {
            if record.from != LinkRecord.nobody { gone.remove(~record.from) }
            return
        }
        let antecedent = tasks.writing(record.from)
        if antecedent.pointee.state == .faulted { extra(of: antecedent).pointee.lacksSuccessor = true }
        if record.nextOut == link {
            antecedent.pointee.lastOut = -1
            if antecedent.pointee.kind.isOfSwift { noteLeaf(antecedent, isEarly: true) }
        } else {
            links.writing(record.previousOut).pointee.nextOut = record.nextOut
            links.writing(record.nextOut).pointee.previousOut = record.previousOut
            if antecedent.pointee.lastOut == link { antecedent.pointee.lastOut = record.previousOut }
        }
    }

    /// The antecedent's id, even if the antecedent is no longer kept.
    func antecedent(of link: LinkRecord) -> UInt64 {
        link.from >= 0 ? tasks.reading(link.from).pointee.id : gone.reading(~link.from).pointee
    }

    /// The task's first link to an antecedent; -1 if it has none.
    func firstIn(of task: UnsafePointer<TaskRecord>) -> Int32 {
        let last = task.pointee.lastIn
        return last < 0 ? -1 : links.reading(last).pointee.nextIn
    }
}

extension TaskKind {
    /// Whether a task of this kind belongs to its first antecedent's chain. Other tasks begin a chain.
    var continuesAChain: Bool {
        switch self {
        case .continuation, .asyncLet, .groupChild, .internal: true
        case .root, .join, .delay, .source, .unstructured, .detached: false
        }
    }
}
