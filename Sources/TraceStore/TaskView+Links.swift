import TaskEvents

extension TaskView {
    /// The task that this one continues, or a join's inputs in order; then the task that the body returned.
    package var antecedents: Antecedents {
        Antecedents(store: store, last: record.pointee.lastIn)
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

    /// The antecedents. `isInner` marks the task that the body returned, which is the last one, if there is such a task.
    package var links: [(antecedent: TaskID, isInner: Bool)] {
        let antecedents = Array(antecedents)
        let returned = inner == nil ? nil : antecedents.indices.last
        return antecedents.enumerated().map { ($1, $0 == returned) }
    }

    /// The task that the body returned.
    package var inner: TaskID? {
        guard record.pointee.lastIn >= 0 else { return nil }
        let link = store.fold.links.reading(record.pointee.lastIn).pointee
        return link.isInner ? TaskID(rawValue: store.fold.antecedent(of: link)) : nil
    }

    /// The tasks that have this one as an antecedent, in the order in which they were linked.
    package var successors: Successors {
        Successors(store: store, last: record.pointee.lastOut)
    }

    package var successorCount: Int {
        successors.reduce(into: 0) { count, _ in count += 1 }
    }

    /// The tasks whose bodies read this task's error.
    package var readers: MentionedTasks { mentioned(\.lastReader) }

    /// The tasks whose values this task awaited or awaits, in that order; only the latest if there are many. Without its own structured
    /// children, which every task awaits.
    package var awaited: LazyFilterSequence<MentionedTasks> {
        mentioned(\.lastAwaited).lazy.filter { id in store.task(id)?.structuredParent != self.id }
    }

    /// The tasks that awaited or await this task's value; only the latest if there are many. Without the parent of a structured child.
    package var awaiters: LazyFilterSequence<MentionedTasks> {
        let parent = structuredParent
        return mentioned(\.lastAwaiter).lazy.filter { $0 != parent }
    }

    /// The task whose scope this task cannot outlive, for an `async let` or a child of a group.
    package var structuredParent: TaskID? {
        switch kind {
        case .asyncLet, .groupChild: firstAntecedent
        case .root, .continuation, .join, .delay, .source, .unstructured, .detached, .internal: nil
        }
    }

    private func mentioned(_ last: KeyPath<TaskExtra, Int32>) -> MentionedTasks {
        let extra = record.pointee.extra
        return MentionedTasks(store: store, last: extra < 0 ? -1 : store.fold.extras.reading(extra).pointee[keyPath: last])
    }

    /// The executor hops of the task's jobs, in order.
    package var hops: Hops {
        Hops(store: store, task: record)
    }

    package var hopCount: Int {
        hops.reduce(into: 0) { count, hop in count += hop.count }
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

package struct Antecedents: Sequence, IteratorProtocol {
    private let store: TraceStore
    private let last: Int32
    private var link: Int32

    init(store: TraceStore, last: Int32) {
        self.store = store
        self.last = last
        link = last < 0 ? -1 : store.fold.links.reading(last).pointee.nextIn
    }

    package mutating func next() -> TaskID? {
        guard link >= 0 else { return nil }
        let record = store.fold.links.reading(link).pointee
        link = link == last ? -1 : record.nextIn
        return TaskID(rawValue: store.fold.antecedent(of: record))
    }
}

package struct Successors: Sequence, IteratorProtocol {
    private let store: TraceStore
    private let last: Int32
    private var link: Int32

    init(store: TraceStore, last: Int32) {
        self.store = store
        self.last = last
        link = last < 0 ? -1 : store.fold.links.reading(last).pointee.nextOut
    }

    package mutating func next() -> TaskID? {
        guard link >= 0 else { return nil }
        let record = store.fold.links.reading(link).pointee
        link = link == last ? -1 : record.nextOut
        return TaskID(rawValue: store.fold.tasks.reading(record.to).pointee.id)
    }
}

package struct MentionedTasks: Sequence, IteratorProtocol {
    private let store: TraceStore
    private let last: Int32
    private var mention: Int32

    init(store: TraceStore, last: Int32) {
        self.store = store
        self.last = last
        mention = last < 0 ? -1 : store.fold.mentions.reading(last).pointee.next
    }

    package mutating func next() -> TaskID? {
        guard mention >= 0 else { return nil }
        let record = store.fold.mentions.reading(mention).pointee
        mention = mention == last ? -1 : record.next
        return TaskID(rawValue: record.id)
    }
}

package struct Hops: Sequence, IteratorProtocol {
    private let store: TraceStore
    private let task: UnsafePointer<TaskRecord>
    private let last: Int32
    private var hop: Int32
    /// The task's only hop, if it has no record in the table.
    private var short: HopRecord?

    init(store: TraceStore, task: UnsafePointer<TaskRecord>) {
        self.store = store
        self.task = task
        last = task.pointee.hops.last
        hop = last < 0 ? -1 : store.fold.hops.reading(last).pointee.next
        short = store.fold.shortHop(of: task)
    }

    package mutating func next() -> Hop? {
        let record: HopRecord
        if let short {
            record = short
            self.short = nil
        } else if hop >= 0 {
            record = store.fold.hops.reading(hop).pointee
            hop = hop == last ? -1 : record.next
        } else {
            return nil
        }
        return Hop(
            task: TaskID(rawValue: task.pointee.id), from: ExecutorID(rawValue: record.from), to: ExecutorID(rawValue: record.to),
            manner: record.manner, at: record.at, wait: record.wait, count: Int(clamping: record.count))
    }
}
