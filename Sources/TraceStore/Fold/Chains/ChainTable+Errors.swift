import TaskEvents

/// The tasks that errors come from and the tasks that read them.
///
/// The probe knows a Swift error by its box and names the latest other task that ended with that box. Which task the error was taken
/// from follows from the values that the failed task awaited.
extension ChainTable {
    // MARK: Readers

    /// Records that code outside of all tasks has read the error of a task.
    mutating func readOutside(_ task: UnsafeMutablePointer<TaskRecord>, _ tasks: borrowing TaskTable) {
        if task.pointee.flags.insert(.isReadOutside).inserted { listLeaf(task, tasks) }
    }

    /// Records the task that read an error: for a Swift task that runs a chain's body, the chain's task.
    mutating func addReader(_ reader: UInt64, of task: UnsafeMutablePointer<TaskRecord>, isProven: Bool = false, _ tasks: inout TaskTable) {
        var id = reader
        if let row = tasks.row(of: reader), tasks.records.reading(row).pointee.kind == .internal {
            id = links.firstAntecedent(of: tasks.records.reading(row), tasks) ?? reader
        }
        if tasks.addReader(id, of: task, isProven: isProven) { listLeaf(task, tasks) }
    }

    // MARK: The source of a Swift task's error

    /// The number of tasks that are searched for the one that a task took its error from.
    private static var mostCarriers: Int { 1024 }

    /// Corrects the source of the error that a Swift task has just ended with. The trace must be complete, and show what tasks await.
    /// `showsScopes` says whether it shows the ends of scopes, by the cancellation of their children.
    mutating func attributeError(of task: UnsafeMutablePointer<TaskRecord>, showsScopes: Bool, _ tasks: inout TaskTable) {
        switch FaultManner(rawValue: task.pointee.manner) {
        case .forwarded: attributeForwarded(task, showsScopes, &tasks)
        case .thrown: attributeOwn(task, showsScopes, &tasks)
        case .transformed, .injected, nil: break
        }
    }

    /// The latest task with the same error may be a sibling that awaited the same task. A task that awaited none of those that had the
    /// error has thrown a stored error anew.
    private mutating func attributeForwarded(_ task: UnsafeMutablePointer<TaskRecord>, _ showsScopes: Bool, _ tasks: inout TaskTable) {
        guard task.pointee.extra >= 0 else { return }
        let extra = tasks.extras.writing(task.pointee.extra)
        extra.pointee.earlierCarrier = UInt32(exactly: extra.pointee.other) ?? 0
        let search = SourceSearch(task: task.pointee.id, carrier: extra.pointee.other, stepsLeft: Self.mostCarriers)
        go(on: search, for: task, showsScopes, &tasks)
    }

    /// Looks for the source of a task's error among those that ended with it before. Stops at a task whose end is not in the trace yet: two
    /// threads can record their ends in another order than they had the error.
    private mutating func go(
        on search: SourceSearch, for task: UnsafeMutablePointer<TaskRecord>, _ showsScopes: Bool, _ tasks: inout TaskTable
    ) {
        var search = search
        while search.stepsLeft > 0 {
            guard let row = tasks.row(of: search.carrier) else { return }
            let carrier = tasks.records.reading(row)
            guard carrier.pointee.kind.isOfSwift else { return }
            guard carrier.pointee.state == .faulted else {
                if !carrier.pointee.state.hasEnded { openSearches.add(search) }
                return
            }
            if hasTaken(from: carrier, task, tasks) {
                tasks.extra(of: task).pointee.other = search.carrier
                return
            }
            guard let next = earlierCarrier(than: carrier, tasks) else {
                task.pointee.manner = FaultManner.thrown.rawValue
                tasks.extra(of: task).pointee.other = 0
                return attributeOwn(task, showsScopes, &tasks)
            }
            search.carrier = next
            search.stepsLeft -= 1
        }
    }

    /// Goes on with the searches that stopped at a task which has ended now. `isComplete` says whether the trace still is.
    mutating func goOnWithSearches(
        after carrier: UnsafePointer<TaskRecord>, isComplete: Bool, showsScopes: Bool, _ tasks: inout TaskTable
    ) {
        for search in openSearches.remove(waitingFor: carrier.pointee.id) where isComplete {
            guard let row = tasks.row(of: search.task) else { continue }
            go(on: search, for: tasks.records.writing(row), showsScopes, &tasks)
        }
    }

    /// The task that ended with the same error before `carrier`.
    private func earlierCarrier(than carrier: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable) -> UInt64? {
        guard let extra = tasks.knownExtra(of: carrier) else { return nil }
        if extra.pointee.earlierCarrier != 0 { return UInt64(extra.pointee.earlierCarrier) }
        let isForwarded = carrier.pointee.manner == FaultManner.forwarded.rawValue
        return isForwarded && extra.pointee.other != 0 ? extra.pointee.other : nil
    }

    /// A task that throws an error of its own right after it took another one has made it of that one. A task that has waited for something
    /// else or made another task in between went on. After the error of a chain's task, which its body may read any time later, the trace
    /// does not show that.
    private func attributeOwn(_ task: UnsafeMutablePointer<TaskRecord>, _ showsScopes: Bool, _ tasks: inout TaskTable) {
        guard task.pointee.extra >= 0 else { return }
        let extra = tasks.extras.writing(task.pointee.extra)
        guard !extra.pointee.hasGoneOn, let id = lastTaken(by: task, showsScopes, tasks), let row = tasks.row(of: id) else { return }
        let source = tasks.records.reading(row)
        guard source.pointee.state == .faulted, source.pointee.kind.isOfSwift else { return }
        task.pointee.manner = FaultManner.transformed.rawValue
        extra.pointee.other = id
    }

    /// The task that another one awaited last, without those whose wait may have been that of their scope, which the other one left with the
    /// error that it threw.
    private func lastTaken(by task: UnsafePointer<TaskRecord>, _ showsScopes: Bool, _ tasks: borrowing TaskTable) -> UInt64? {
        let last = tasks.extras.reading(task.pointee.extra).pointee.lastAwaited
        guard last >= 0 else { return nil }
        let id = tasks.mentions.records.reading(last).pointee.id
        guard isUnclearWait(for: id, by: task, showsScopes, tasks) else { return id }
        var found: UInt64?
        var index = tasks.mentions.records.reading(last).pointee.next
        while index != last {
            let mention = tasks.mentions.records.reading(index).pointee
            if !isUnclearWait(for: mention.id, by: task, showsScopes, tasks) { found = mention.id }
            index = mention.next
        }
        return found
    }

    /// Whether the wait for another task may have been that of its scope.
    private func isUnclearWait(
        for id: UInt64, by task: UnsafePointer<TaskRecord>, _ showsScopes: Bool, _ tasks: borrowing TaskTable
    ) -> Bool {
        guard let row = tasks.row(of: id) else { return false }
        let child = tasks.records.reading(row)
        guard child.pointee.kind == .asyncLet, links.firstAntecedent(of: child, tasks) == task.pointee.id else { return false }
        guard showsScopes else { return true }
        return tasks.knownExtra(of: child)?.pointee.scope == .unclear
    }

    /// Whether the task awaited the value of `carrier`, or is the parent that awaits it.
    private func hasTaken(
        from carrier: UnsafePointer<TaskRecord>, _ task: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable
    ) -> Bool {
        switch carrier.pointee.kind {
        case .asyncLet, .groupChild:
            if links.firstAntecedent(of: carrier, tasks) == task.pointee.id { return true }
        case .root, .continuation, .join, .delay, .source, .unstructured, .detached, .internal, .block, .main: break
        }
        return tasks.mentions.contains(carrier.pointee.id, in: tasks.extras.reading(task.pointee.extra).pointee.lastAwaited)
    }

    // MARK: The scope of an async let

    /// Whether `parent`, which waits for the `async let` or takes its outcome, does so only because its scope ends.
    func isWaitOfScope(
        _ parent: UnsafePointer<TaskRecord>, for child: UnsafeMutablePointer<TaskRecord>, _ tasks: inout TaskTable
    ) -> Bool {
        guard child.pointee.kind == .asyncLet, child.pointee.flags.contains(.isAskedToStop),
            links.firstAntecedent(of: child, tasks) == parent.pointee.id
        else { return false }
        let extra = tasks.extra(of: child)
        let asker = tasks.cancellation(of: parent)?.pointee.asker ?? 0
        let cancelledItself = parent.pointee.flags.contains(.isAskedToStop) && asker == parent.pointee.id
        // A read before the scope's end stands.
        guard extra.pointee.lastReader < 0 || extra.pointee.scope != .open else { return true }
        guard extra.pointee.scope != .unclear else { return false }
        extra.pointee.scope = tasks.cancellation(of: child)?.pointee.asker == parent.pointee.id && !cancelledItself ? .left : .unclear
        return extra.pointee.scope == .left
    }
}
