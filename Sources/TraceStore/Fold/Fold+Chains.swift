import TaskEvents

/// Chains: a root task with all tasks that continue from it.
extension Fold {
    /// Moves a task and all tasks that already follow from it to the antecedent's chain.
    ///
    /// Until now the task was the first of its own chain. It stays there if the antecedent is not kept.
    mutating func join(_ task: UnsafeMutablePointer<TaskRecord>, chainOf antecedent: UInt64, at time: UInt64) {
        guard let row = row(for: antecedent, at: time) else { return }
        let old = task.pointee.chain
        let new = tasks.writing(row).pointee.chain
        // In a damaged trace a task may follow from itself.
        guard new != old else { return }
        let record = chains.writing(new)
        unlist(chains.writing(old))
        record.pointee.needs += chains.reading(old).pointee.needs
        chains.remove(old)
        task.pointee.chain = new
        if task.pointee.lastOut >= 0 { moveFollowers(of: task, from: old, to: new) }
        list(new, record)
    }

    /// The id of a chain's first task. If the chain's beginning is not kept, the id of the task that its first kept task continues.
    func id(ofChain chain: Int32) -> UInt64 {
        let first = tasks.reading(chains.reading(chain).pointee.first)
        guard first.pointee.kind.continuesAChain, first.pointee.lastIn >= 0 else { return first.pointee.id }
        return antecedent(of: links.reading(firstIn(of: first)).pointee)
    }

    private mutating func moveFollowers(of task: UnsafeMutablePointer<TaskRecord>, from old: Int32, to new: Int32) {
        var open = [task]
        while let next = open.popLast() {
            forEachSuccessor(of: next) { _, row in
                let successor = tasks.writing(row)
                guard successor.pointee.chain == old else { return }
                successor.pointee.chain = new
                open.append(successor)
            }
        }
    }

    /// Calls `body` with every link from a task to a successor, and with the successor's row.
    func forEachSuccessor(of task: UnsafePointer<TaskRecord>, _ body: (_ link: Int32, _ row: Int32) -> Void) {
        let last = task.pointee.lastOut
        guard last >= 0 else { return }
        var link = links.reading(last).pointee.nextOut
        while true {
            let record = links.reading(link).pointee
            let isLast = link == last
            body(link, record.to)
            if isLast { return }
            link = record.nextOut
        }
    }

    // MARK: Ending

    /// Records that a task has ended or can no longer end. Its chain may have ended with it.
    mutating func leaveAlive(_ task: UnsafeMutablePointer<TaskRecord>) {
        guard !task.pointee.marks.contains(.hasLeft) else { return }
        task.pointee.marks.insert(.hasLeft)
        endedKept += 1
        if task.pointee.marks.contains(.holdsAntecedents) { releaseHolds(of: task) }
        let chain = chains.writing(task.pointee.chain)
        chain.pointee.needs -= 1
        list(task.pointee.chain, chain)
        if task.pointee.kind.isOfSwift { noteLeaves(task) }
        while endedKept > retention.endedTasks {
            if evictLeaf() { continue }
            guard firstEnded >= 0 else { return }
            evict(firstEnded)
        }
    }

    /// Records that a live task needs the chain: a task of the chain, or one that follows from it.
    mutating func hold(_ chain: Int32) {
        let record = chains.writing(chain)
        record.pointee.needs += 1
        unlist(record)
    }

    /// An ended task no longer needs its antecedents.
    private mutating func releaseHolds(of task: UnsafeMutablePointer<TaskRecord>) {
        task.pointee.marks.remove(.holdsAntecedents)
        let last = task.pointee.lastIn
        var link = last
        repeat {
            link = links.reading(link).pointee.nextIn
            guard links.reading(link).pointee.isHolding else { continue }
            let record = links.writing(link)
            record.pointee.isHolding = false
            // A held chain is not evicted, so the antecedent's row is valid.
            let chain = tasks.reading(record.pointee.from).pointee.chain
            chains.writing(chain).pointee.needs -= 1
            list(chain, chains.writing(chain))
        } while link != last
    }

    /// Appends a chain to the list of ended chains once no live task needs it.
    private mutating func list(_ chain: Int32, _ record: UnsafeMutablePointer<ChainRecord>) {
        guard record.pointee.needs == 0 else {
            unlist(record)
            return
        }
        guard record.pointee.previousEnded == ChainRecord.unlisted else { return }
        record.pointee.previousEnded = lastEnded
        record.pointee.nextEnded = -1
        if lastEnded >= 0 { chains.writing(lastEnded).pointee.nextEnded = chain } else { firstEnded = chain }
        lastEnded = chain
    }

    private mutating func unlist(_ record: UnsafeMutablePointer<ChainRecord>) {
        let (previous, next) = (record.pointee.previousEnded, record.pointee.nextEnded)
        guard previous != ChainRecord.unlisted else { return }
        if previous >= 0 { chains.writing(previous).pointee.nextEnded = next } else { firstEnded = next }
        if next >= 0 { chains.writing(next).pointee.previousEnded = previous } else { lastEnded = previous }
        record.pointee.previousEnded = ChainRecord.unlisted
    }

    // MARK: Eviction

    /// Removes a chain and all its tasks. Tasks of other chains keep the ids of their antecedents in it.
    private mutating func evict(_ chain: Int32) {
        let first = chains.reading(chain).pointee.first
        unlist(chains.writing(chain))
        evicting.append(first)
        while let row = evicting.popLast() {
            let task = tasks.writing(row)
            let last = task.pointee.lastOut
            var link = last < 0 ? -1 : links.reading(last).pointee.nextOut
            while link >= 0 {
                let record = links.writing(link)
                let next = link == last ? -1 : record.pointee.nextOut
                let successor = tasks.reading(record.pointee.to)
                let isOfChain = successor.pointee.chain == chain
                // A task belongs to the chain through its first link only, so the walk finds each task once.
                if isOfChain, record.pointee.to != first, firstIn(of: successor) == link { evicting.append(record.pointee.to) }
                record.pointee.from = isOfChain ? LinkRecord.nobody : ~gone.insert(task.pointee.id)
                record.pointee.nextOut = -1
                record.pointee.previousOut = -1
                link = next
            }
            free(row, task)
        }
        chains.remove(chain)
    }

    mutating func free(_ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>) {
        if task.pointee.state == .queued { _ = takeFromQueue(task, at: now) }
        freeLinks(of: task)
        freeHops(of: task)
        if task.pointee.extra >= 0 { freeExtra(task.pointee.extra) } else { freeCourse(task.pointee.extra) }
        ids.evict(task.pointee.id)
        fetchAhead(of: task.pointee.id)
        evicted += 1
        endedKept -= 1
        tasks.remove(row)
    }

    /// Prefetches records that will be evicted soon. Tasks end roughly in the order of their ids, and records that were not used for a
    /// million tasks are in no cache. A task's record is fetched first; once it is there, the records it refers to are fetched.
    private func fetchAhead(of id: UInt64) {
        if case .row(let row) = ids.place(of: id &+ 512) { prefetch(tasks.reading(row)) }
        guard case .row(let row) = ids.place(of: id &+ 256) else { return }
        let task = tasks.reading(row)
        if task.pointee.lastIn >= 0 { prefetch(links.reading(task.pointee.lastIn)) }
    }

    private mutating func freeLinks(of task: UnsafeMutablePointer<TaskRecord>) {
        let last = task.pointee.lastIn
        guard last >= 0 else { return }
        var link = links.reading(last).pointee.nextIn
        while true {
            let next = links.reading(link).pointee.nextIn
            free(link: link)
            if link == last { return }
            link = next
        }
    }

    private mutating func freeExtra(_ index: Int32) {
        let extra = extras.writing(index).pointee
        freeCourse(extra.course)
        for last in [extra.lastReader, extra.lastAwaited, extra.lastAwaiter] where last >= 0 { freeMentions(last) }
        extras.remove(index)
    }
}
