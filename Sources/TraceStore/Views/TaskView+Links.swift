import TaskEvents

extension TraceStore {
    /// The event with the manner and the source of its task's error as all other facts have them. The probe knows only which other task ended
    /// with the same error; the fold finds out from which task the error came.
    package func attributed(_ event: TaskEvent) -> TaskEvent {
        guard event.kind == .faulted, let task = task(event.task), task.kind.isOfSwift, let manner = task.faultManner else { return event }
        return TaskEvent(
            .faulted, task: event.task, at: event.time, other: task.faultSource.rawValue, executor: event.executor, label: event.label,
            detail: manner.rawValue)
    }
}

extension TaskView {
    /// The task that this one continues, or a join's inputs in order; then the task that the body returned.
    package var antecedents: LinkedTasks {
        LinkedTasks(.antecedents, of: store, last: record.pointee.lastIn)
    }

    package var firstAntecedent: TaskID? {
        for antecedent in antecedents { return antecedent }
        return nil
    }

    /// The task that this one continues, or that created it. This is the first antecedent, unless the task is a join or that antecedent is
    /// only the task that the body returned. A body may return the task that it continues; that task is then an antecedent twice.
    package var continued: TaskID? {
        guard kind != .join else { return nil }
        var antecedents = antecedents
        guard let first = antecedents.next() else { return nil }
        return antecedents.next() == nil && first == inner ? nil : first
    }

    /// The antecedents, at most `limit` of them. `isInner` marks the task that the body returned, which is the last one, if there is such a
    /// task.
    package func links(limit: Int = .max) -> [(antecedent: TaskID, isInner: Bool)] {
        var rest = antecedents
        var links: [(antecedent: TaskID, isInner: Bool)] = []
        while links.count < limit, let antecedent = rest.next() { links.append((antecedent, false)) }
        if inner != nil, !links.isEmpty, rest.next() == nil { links[links.count - 1].isInner = true }
        return links
    }

    /// The task that the body returned.
    package var inner: TaskID? {
        guard record.pointee.lastIn >= 0 else { return nil }
        let link = store.fold.chains.links.records.reading(record.pointee.lastIn).pointee
        return link.isInner ? TaskID(rawValue: store.fold.chains.links.antecedent(of: link, store.fold.tasks)) : nil
    }

    /// The tasks that have this one as an antecedent, in the order in which they were linked.
    package var successors: LinkedTasks {
        LinkedTasks(.successors, of: store, last: record.pointee.lastOut)
    }

    package var successorCount: Int {
        successors.reduce(into: 0) { count, _ in count += 1 }
    }

    /// The tasks whose bodies read this task's error.
    package var readers: LinkedTasks { mentioned(\.lastReader) }

    /// Whether an event shows that `reader` took this task's error, and not only that it awaited the value.
    package func isProvenReader(_ reader: TaskID) -> Bool {
        guard let extra else { return false }
        return store.fold.tasks.mentions.contains(reader.rawValue, in: extra.pointee.lastReader) { $0.isProven }
    }

    /// For an `async let` or a failed child of a group: what the trace shows of the end of its scope.
    package var scopeEnd: ScopeEnd { extra?.pointee.scope ?? .open }

    /// Whether the trace leaves open if `reader`, one of the listed readers, read this task's error. The parent of a child in a group can
    /// discard its outcome, and the scope of an `async let` waits for it unread.
    package func isReadUnclear(by reader: TaskID) -> Bool {
        guard structuredParent == reader else { return false }
        return kind == .groupChild || scopeEnd == .unclear || !store.swiftRoutes.contains(.cancellation)
    }

    /// The tasks whose values this task awaited or awaits, in that order; only the latest if there are many. Without its own structured
    /// children, which every task awaits.
    package var awaited: LazyFilterSequence<LinkedTasks> {
        mentioned(\.lastAwaited).lazy.filter { id in store.task(id)?.structuredParent != self.id }
    }

    /// The blocks and tasks that resumed this task's continuations, in that order; only the latest if there are many. A task is listed only
    /// if this one was suspended by then.
    package var resumers: LinkedTasks { mentioned(\.lastResumer) }

    /// The blocks of ``resumers``.
    package var resumingBlocks: LazyFilterSequence<LinkedTasks> { resumers.lazy.filter(\.isBlock) }

    /// The block or task that resumed this task's continuation last. Nil if none is known.
    package var lastResumer: TaskID? {
        guard let last = extra?.pointee.lastResumer, last >= 0 else { return nil }
        return TaskID(rawValue: store.fold.tasks.mentions.records.reading(last).pointee.id)
    }

    /// The tasks that awaited or await this task's value, or that this block resumed; only the latest if there are many. Without the parent
    /// of a structured child.
    package var awaiters: LazyFilterSequence<LinkedTasks> {
        let parent = structuredParent
        return mentioned(\.lastAwaiter).lazy.filter { $0 != parent }
    }

    /// The task whose scope this task cannot outlive, for an `async let` or a child of a group.
    package var structuredParent: TaskID? {
        switch kind {
        case .asyncLet, .groupChild: firstAntecedent
        case .root, .continuation, .join, .delay, .source, .unstructured, .detached, .internal, .block, .main: nil
        }
    }

    private func mentioned(_ last: KeyPath<TaskExtra, Int32>) -> LinkedTasks {
        LinkedTasks(.mentions, of: store, last: extra?.pointee[keyPath: last] ?? -1)
    }

    /// The executor hops of the task's jobs, in order. A task with many hops may have only the latest.
    package var hops: Hops {
        Hops(store: store, task: record)
    }

    /// The number of all hops.
    package var hopCount: Int {
        let hops = hops
        return hops.reduce(into: Int(clamping: hops.forgotten)) { count, hop in count += hop.count }
    }
}

/// A job's move to another executor than the one it was enqueued from.
package struct Hop: Hashable, Sendable {
    package var task: TaskID
    /// `.none` if the hop came from a thread without an executor.
    package var from: ExecutorID
    package var to: ExecutorID
    package var manner: HopManner
    package var at: UInt64
    /// Nanoseconds in the queue; nil while the job waits, or if it did not have to wait.
    package var wait: UInt64?
    /// The number of hops that this value stands for. Only hops onto free actors are combined.
    package var count = 1
}

// The lists in the store's tables are rings, each known by its last record.

/// The tasks of one of a task's lists.
package struct LinkedTasks: Sequence, IteratorProtocol {
    enum List {
        case antecedents, successors
        /// Tasks that need no link in both directions: readers, awaited tasks, awaiters.
        case mentions
    }

    private let store: TraceStore
    private let list: List
    private let last: Int32
    private var position: Int32 = -1

    init(_ list: List, of store: TraceStore, last: Int32) {
        self.store = store
        self.list = list
        self.last = last
        if last >= 0 { position = next(after: last) }
    }

    package mutating func next() -> TaskID? {
        guard position >= 0 else { return nil }
        store.reads.add(1)
        defer { position = position == last ? -1 : next(after: position) }
        return switch list {
        case .antecedents:
            TaskID(
                rawValue: store.fold.chains.links.antecedent(
                    of: store.fold.chains.links.records.reading(position).pointee, store.fold.tasks))
        case .successors:
            TaskID(rawValue: store.fold.tasks.records.reading(store.fold.chains.links.records.reading(position).pointee.to).pointee.id)
        case .mentions: TaskID(rawValue: store.fold.tasks.mentions.records.reading(position).pointee.id)
        }
    }

    private func next(after position: Int32) -> Int32 {
        switch list {
        case .antecedents: store.fold.chains.links.records.reading(position).pointee.nextIn
        case .successors: store.fold.chains.links.records.reading(position).pointee.nextOut
        case .mentions: store.fold.tasks.mentions.records.reading(position).pointee.next
        }
    }
}

package struct Hops: Sequence, IteratorProtocol {
    private let store: TraceStore
    private let task: UnsafePointer<TaskRecord>
    private let last: Int32
    private var hop: Int32
    /// The task's only hop, if it has no record in the table.
    private var short: HopRecord?
    /// The number of hops that are no longer kept.
    fileprivate var forgotten: UInt64 = 0

    init(store: TraceStore, task: UnsafePointer<TaskRecord>) {
        self.store = store
        self.task = task
        last = task.pointee.hops.last
        hop = last < 0 ? -1 : store.fold.tasks.hops.records.reading(last).pointee.next
        short = store.fold.tasks.shortHop(of: task)
        guard hop >= 0, store.fold.tasks.hops.records.reading(hop).pointee.isSum else { return }
        forgotten = store.fold.tasks.hops.records.reading(hop).pointee.count
        hop = hop == last ? -1 : store.fold.tasks.hops.records.reading(hop).pointee.next
    }

    package mutating func next() -> Hop? {
        let record: HopRecord
        if let short {
            record = short
            self.short = nil
        } else if hop >= 0 {
            record = store.fold.tasks.hops.records.reading(hop).pointee
            hop = hop == last ? -1 : record.next
        } else {
            return nil
        }
        return Hop(
            task: TaskID(rawValue: task.pointee.id), from: ExecutorID(rawValue: record.from), to: ExecutorID(rawValue: record.to),
            manner: record.manner, at: record.at, wait: record.wait, count: Int(clamping: record.count))
    }
}
