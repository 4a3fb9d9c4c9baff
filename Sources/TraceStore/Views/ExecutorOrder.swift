import TaskEvents

/// The ids of a trace's executors: the main executor first, then by id. It changes only when executors or their kinds become known.
struct ExecutorOrder {
    private(set) var ids: [ExecutorID] = []
    /// The number of executors in the order, and of the entries that named them.
    private var known: (executors: Int, entries: UInt32) = (0, 0)
    /// Whether the kind of an executor was missing. A kind that is known stays.
    private var isIncomplete = false

    mutating func follow(_ executors: borrowing ExecutorTable) {
        let used = executors.used
        let isRenamed = isIncomplete && known.entries != executors.entries.count
        guard known.executors != used.count || isRenamed else { return }
        let new = used.dropFirst(known.executors).sorted()
        let comesLast = (ids.last?.rawValue ?? 0) < new.first ?? 0 && !new.contains { executors.isMain($0) }
        if comesLast, !isRenamed {
            ids += new.map { ExecutorID(rawValue: $0) }
        } else {
            let all = used.sorted()
            ids = (all.filter { executors.isMain($0) } + all.filter { !executors.isMain($0) }).map { ExecutorID(rawValue: $0) }
        }
        let unchecked = isRenamed ? used[...] : used.dropFirst(known.executors)
        isIncomplete = isIncomplete && !isRenamed || unchecked.contains { executors.find($0)?.pointee.kind == nil }
        known = (used.count, executors.entries.count)
    }
}
