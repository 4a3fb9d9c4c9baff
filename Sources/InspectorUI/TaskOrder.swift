import TaskEvents
import TraceAnalysis
import TraceStore

/// The task list's order, made a portion a frame: sorting a million tasks at once would hold up the keys.
///
/// A pass goes through the store by id, sorts what it has taken portion by portion, and merges the portions. Until it is done the order of
/// the pass before is shown. Up to a portion of tasks it is done at once.
struct TaskOrder {
    /// Tasks that a call looks at, at most.
    static let portion = 16_384
    /// Nanoseconds between two passes: rows that change places oftener cannot be read.
    static let pause: UInt64 = 250_000_000

    /// The tasks in order, as of the last pass that was completed.
    private(set) var tasks: [TaskID] = []
    /// The event up to which that pass knew the store.
    private(set) var eventCount = -1
    private var pass: SortPass?
    private var lastEnd: UInt64?

    /// Whether a pass is on its way.
    var isBusy: Bool { pass != nil }

    /// Begins anew with the next call, whatever the pace.
    mutating func restart() {
        pass = nil
        lastEnd = nil
        eventCount = -1
    }

    /// Goes on by one portion; true if there is a new order.
    mutating func advance(
        _ store: TraceStore, sort: TaskSort, query: TaskQuery = TaskQuery(), warnings: WarningIndex = WarningIndex(), at now: UInt64
    ) -> Bool {
        if pass == nil {
            guard eventCount != store.eventCount else { return false }
            if let lastEnd, now < lastEnd + Self.pause { return false }
            pass = SortPass(store, sort: sort, query: query, warnings)
        }
        guard let done = pass?.advance(store, portion: Self.portion) else { return false }
        tasks = done
        eventCount = pass?.eventCount ?? -1
        pass = nil
        lastEnd = now
        return true
    }
}

/// One pass of sorting.
private struct SortPass {
    let eventCount: Int
    private var keys: SortKeys
    /// The tasks that fit the query; nil for all.
    private var fitting: ArraySlice<TaskID>?
    private var latest = TaskID.none
    private var sorted: [ArraySlice<SortKey>] = []
    private var hasTakenAll = false
    private var merged: [TaskID] = []

    /// The query is answered at once: it looks at numbers only.
    init(_ store: TraceStore, sort: TaskSort, query: TaskQuery, _ warnings: WarningIndex) {
        keys = SortKeys(sort)
        if !query.isEmpty { fitting = TaskQueryMatcher(query, in: store, warnings: warnings).tasks()[...] }
        eventCount = store.eventCount
    }

    /// The next portion; the tasks in order if it was the last.
    mutating func advance(_ store: TraceStore, portion: Int) -> [TaskID]? {
        if !hasTakenAll {
            take(store, portion: portion)
            guard hasTakenAll, sorted.count <= 1 else { return nil }
            return sorted.first?.map(\.task) ?? []
        }
        merge(count: portion * 2)
        return sorted.isEmpty ? merged : nil
    }

    private mutating func take(_ store: TraceStore, portion: Int) {
        var taken: [SortKey] = []
        if let tasks = fitting {
            for id in tasks.prefix(portion) {
                if let task = store.task(id) { taken.append(keys.key(of: task, in: store)) }
            }
            fitting = tasks.dropFirst(portion)
            hasTakenAll = tasks.count <= portion
        } else {
            takeRows(store, portion: portion, into: &taken)
        }
        taken.sort()
        if !taken.isEmpty { sorted.append(taken[...]) }
    }

    private mutating func takeRows(_ store: TraceStore, portion: Int, into taken: inout [SortKey]) {
        var count = 0
        var rows = store.rows(after: latest).makeIterator()
        while count < portion {
            guard let row = rows.next() else {
                hasTakenAll = true
                break
            }
            let task = store[row]
            count += 1
            latest = task.id
            taken.append(keys.key(of: task, in: store))
        }
    }

    /// Takes the least of the portions' firsts, again and again: `sorted` is a heap by them.
    private mutating func merge(count: Int) {
        if merged.isEmpty {
            for index in sorted.indices.reversed() { sink(index) }
        }
        let limit = merged.count + count
        while merged.count < limit, !sorted.isEmpty {
            merged.append(sorted[0].removeFirst().task)
            if sorted[0].isEmpty {
                sorted.swapAt(0, sorted.count - 1)
                sorted.removeLast()
            }
            sink(0)
        }
    }

    private mutating func sink(_ index: Int) {
        var index = index
        while true {
            var least = index
            for child in 2 * index + 1...2 * index + 2 where child < sorted.count && first(child) < first(least) { least = child }
            guard least != index else { return }
            sorted.swapAt(index, least)
            index = least
        }
    }

    private func first(_ index: Int) -> SortKey {
        sorted[index][sorted[index].startIndex]
    }
}
