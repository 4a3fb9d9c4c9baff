import TaskEvents

/// A fact that a ``TaskBlock`` can read of its tasks, as a number.
package enum TaskFact: Sendable {
    case id
    /// The state's raw value, plus 8 for a skipped task.
    case state
    case kind
    /// Raw values; 0 for none. Only a faulted task has an error.
    case label, executor, error
    /// The chain's index in the store's table plus one, and the id of the chain's first task.
    case chainRow, chain
    /// Nanoseconds, up to now. `total` counts from ``TaskView/firstKnown``. What is not known is ``TaskBlock/unknown``: `busy`, `queued` and
    /// `suspended` in a trace that consists of snapshots.
    case total, totalSinceCreation, busy, queued, suspended
    case hops, successors
    /// The id of the first task that has this one as an antecedent; ``TaskBlock/unknown`` for none.
    case firstSuccessor
    /// The raw value of ``TaskTrouble``; 0 for none.
    case trouble

    fileprivate var isTimeInState: Bool {
        switch self {
        case .busy, .queued, .suspended: true
        case _: false
        }
    }
}

/// Up to 64 tasks of the table, by ascending id, which are queried together. It is the fast way to query a million tasks.
///
/// Facts are read as columns, so a query is a loop over numbers. The block is valid until the next `apply`; the result of ``read(_:)`` is
/// valid until the next call of it. The block belongs to the store's thread.
package struct TaskBlock {
    package static let size = 64
    /// Stands for a missing number.
    package static let unknown = UInt64.max

    package fileprivate(set) var count = 0
    fileprivate let store: TraceStore
    fileprivate let rows: UnsafeMutablePointer<Int32>
    fileprivate let records: UnsafeMutablePointer<UnsafePointer<TaskRecord>>
    private let ids: UnsafeMutablePointer<UInt64>
    private let numbers: UnsafeMutablePointer<UInt64>

    fileprivate init(_ store: TraceStore) {
        self.store = store
        rows = .allocate(capacity: Self.size)
        records = .allocate(capacity: Self.size)
        ids = .allocate(capacity: Self.size)
        numbers = .allocate(capacity: Self.size)
        numbers.initialize(repeating: 0, count: Self.size)
    }

    fileprivate func deallocate() {
        rows.deallocate()
        records.deallocate()
        ids.deallocate()
        numbers.deallocate()
    }

    /// A mask with one bit per task.
    package var all: UInt64 { count == Self.size ? ~0 : 1 << UInt64(count) - 1 }

    /// The tasks that a runtime made for itself, one bit each.
    package var `internal`: UInt64 {
        let kinds = read(.kind)
        return (0..<count).reduce(0) { $0 | (kinds[$1] == UInt64(TaskKind.internal.rawValue) ? 1 << UInt64($1) : 0) }
    }

    /// One task, for facts that have no column.
    package subscript(index: Int) -> TaskView {
        precondition(index < count, "task \(index) of \(count)")
        return TaskView(store: store, row: TaskRow(rawValue: rows[index]), record: records[index])
    }

    /// A fact of all tasks, in their order.
    package func read(_ fact: TaskFact) -> UnsafePointer<UInt64> {
        guard !store.isSampled || !fact.isTimeInState else {
            numbers.update(repeating: Self.unknown, count: count)
            return UnsafePointer(numbers)
        }
        store.fold.read(fact, of: UnsafePointer(records), ids, count: count, into: numbers)
        return UnsafePointer(numbers)
    }

    /// Takes the next tasks. Returns false if there are none.
    fileprivate mutating func fill(from cursor: inout UInt64, includesBlocks: Bool) -> Bool {
        count = store.fold.tasks.collect(from: &cursor, rows: rows, records: records, ids: ids, includesBlocks: includesBlocks)
        store.reads.add(count)
        return count > 0
    }
}

extension TraceStore {
    /// Calls `body` with the tasks after `id`, by ascending id, a block at a time, until it has passed at least `limit` tasks. If
    /// `includesBlocks`, the blocks that the program gave to Dispatch follow the tasks.
    ///
    /// - Returns: the id to continue after; nil if there are no more tasks.
    @discardableResult
    package func forEachBlock(
        after id: TaskID = .none, limit: Int = .max, includesBlocks: Bool = false, _ body: (borrowing TaskBlock) -> Void
    ) -> TaskID? {
        var block = TaskBlock(self)
        defer { block.deallocate() }
        var cursor = id.rawValue == .max ? .max : id.rawValue + 1
        var left = limit
        while left > 0 {
            guard block.fill(from: &cursor, includesBlocks: includesBlocks) else { return nil }
            body(block)
            left -= block.count
        }
        return TaskID(rawValue: cursor - 1)
    }
}

extension TaskTable {
    /// Finds the tasks from `cursor` on, and moves `cursor` past them.
    ///
    /// This loop waits for each record's memory once, for all columns. Waiting in the loop of a column was measured to take nearly twice as
    /// long. The compiler unrolls that loop to four records at a time, and the processor then probably fails to predict the next records.
    fileprivate func collect(
        from cursor: inout UInt64, rows: UnsafeMutablePointer<Int32>, records block: UnsafeMutablePointer<UnsafePointer<TaskRecord>>,
        ids numbers: UnsafeMutablePointer<UInt64>, includesBlocks: Bool
    ) -> Int {
        let count = ids.collect(from: &cursor, into: rows, limit: TaskBlock.size, includesBlocks: includesBlocks)
        for index in 0..<count {
            let record = records.reading(rows[index])
            (block + index).initialize(to: record)
            (numbers + index).initialize(to: record.pointee.id)
        }
        return count
    }

    @inline(__always)
    fileprivate func total(of task: UnsafePointer<TaskRecord>, onlyFromCreation: Bool, now: UInt64) -> UInt64 {
        let isKnown = task.pointee.flags.contains(.knowsCreated)
        if !isKnown, onlyFromCreation { return TaskBlock.unknown }
        let after = task.pointee.endedAfter
        if isKnown, after < TaskRecord.long { return UInt64(after) }
        let isFromCreated = isKnown || task.pointee.isAdopted
        guard let start = isFromCreated ? task.pointee.created : time(.queued, of: task) ?? time(.started, of: task) else {
            return TaskBlock.unknown
        }
        let end = time(.ended, of: task) ?? now
        return end > start ? end - start : 0
    }

    /// For most tasks, which have neither an extra nor a settled history, the record alone gives the time.
    @inline(__always)
    fileprivate func busy(_ task: UnsafePointer<TaskRecord>, now: UInt64) -> UInt64 {
        guard task.pointee.extra == -1 else { return spent(.running, by: task, now: now) }
        return time(from: task.pointee.startedAfter, until: task.pointee.endedAfter, of: task, now: now)
    }

    @inline(__always)
    fileprivate func queued(_ task: UnsafePointer<TaskRecord>, now: UInt64) -> UInt64 {
        guard task.pointee.extra == -1 else { return spent(.queued, by: task, now: now) }
        // A moment that has not happened is stored as the greatest value, so `min` ignores it.
        return time(from: task.pointee.queuedAfter, until: min(task.pointee.startedAfter, task.pointee.endedAfter), of: task, now: now)
    }

    /// Nanoseconds between two moments of a task's record, or from the first moment up to now.
    @inline(__always)
    fileprivate func time(from start: UInt32, until end: UInt32, of task: UnsafePointer<TaskRecord>, now: UInt64) -> UInt64 {
        if end != TaskRecord.never { return end > start ? UInt64(end - start) : 0 }
        let age = now > task.pointee.created ? now - task.pointee.created : 0
        return start != TaskRecord.never && age > UInt64(start) ? age - UInt64(start) : 0
    }
}

extension LinkTable {
    fileprivate func successorCount(of task: UnsafePointer<TaskRecord>) -> UInt64 {
        var count: UInt64 = 0
        forEachSuccessor(of: task) { _ in count += 1 }
        return count
    }
}

extension Fold {
    fileprivate func read(
        _ fact: TaskFact, of records: UnsafePointer<UnsafePointer<TaskRecord>>, _ ids: UnsafePointer<UInt64>, count: Int,
        into numbers: UnsafeMutablePointer<UInt64>
    ) {
        switch fact {
        case .id: numbers.update(from: ids, count: count)
        case .state:
            for index in 0..<count {
                let record = records[index]
                numbers[index] = UInt64(record.pointee.state.rawValue) | (record.pointee.flags.contains(.isSkipped) ? 8 : 0)
            }
        case .kind: for index in 0..<count { numbers[index] = UInt64(records[index].pointee.kind.rawValue) }
        case .label:
            for index in 0..<count {
                let name = tasks.knownExtra(of: records[index])?.pointee.name ?? 0
                numbers[index] = UInt64(name) << 32 | UInt64(records[index].pointee.label)
            }
        case .executor: for index in 0..<count { numbers[index] = UInt64(executorShown(of: records[index])) }
        case .error:
            for index in 0..<count {
                let record = records[index]
                numbers[index] = record.pointee.state == .faulted ? UInt64(record.pointee.errorOrNode) : 0
            }
        case .chainRow: for index in 0..<count { numbers[index] = UInt64(records[index].pointee.chain + 1) }
        case .chain: for index in 0..<count { numbers[index] = id(ofChain: records[index].pointee.chain) }
        case .total: for index in 0..<count { numbers[index] = tasks.total(of: records[index], onlyFromCreation: false, now: now) }
        case .totalSinceCreation:
            for index in 0..<count { numbers[index] = tasks.total(of: records[index], onlyFromCreation: true, now: now) }
        case .busy: for index in 0..<count { numbers[index] = tasks.busy(records[index], now: now) }
        case .queued: for index in 0..<count { numbers[index] = tasks.queued(records[index], now: now) }
        case .suspended: for index in 0..<count { numbers[index] = tasks.spent(.suspended, by: records[index], now: now) }
        case .hops: for index in 0..<count { numbers[index] = tasks.hops.count(of: records[index]) }
        case .successors: for index in 0..<count { numbers[index] = chains.links.successorCount(of: records[index]) }
        case .firstSuccessor:
            for index in 0..<count {
                let link = chains.links.firstOut(of: records[index])
                let row = link < 0 ? -1 : chains.links.records.reading(link).pointee.to
                numbers[index] = row < 0 ? TaskBlock.unknown : tasks.records.reading(row).pointee.id
            }
        case .trouble: for index in 0..<count { numbers[index] = TaskTrouble(records[index], tasks).map { UInt64($0.rawValue) } ?? 0 }
        }
    }
}

/// The reason why a task stands out in a list. Greater values are worse.
package enum TaskTrouble: UInt8, Sendable {
    /// The trace lacks the task's creation, so its kind and name are guesses.
    case synthesised = 1
    /// No code read the task's error, and none can read it any more.
    case unobserved = 2

    fileprivate init?(_ task: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable) {
        if Self.isUnobserved(task, tasks) {
            self = .unobserved
        } else if task.pointee.flags.contains(.isSynthesised) {
            self = .synthesised
        } else {
            return nil
        }
    }

    /// A Swift task is released however its error fared, so its readers decide. A successor may have taken the error, also an evicted one.
    @inline(__always)
    private static func isUnobserved(_ task: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable) -> Bool {
        let flags = task.pointee.flags
        guard task.pointee.state == .faulted, flags.contains(.isReleased), !flags.contains(.isReadOutside), task.pointee.lastOut < 0 else {
            return false
        }
        guard let extra = tasks.knownExtra(of: task) else { return true }
        return extra.pointee.lastReader < 0 && !extra.pointee.lacksSuccessor
    }
}

extension TaskView {
    package var trouble: TaskTrouble? { TaskTrouble(record, store.fold.tasks) }
}
