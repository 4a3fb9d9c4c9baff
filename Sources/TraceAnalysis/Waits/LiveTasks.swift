import TaskEvents
import TraceStore

/// The live tasks of a trace, found a bounded number of rows at a time. A server that has run for long keeps hundreds of thousands of ended
/// tasks, and the one that hangs may be anywhere among them.
package struct LiveTasks: Sendable {
    /// The number of rows that one look reads, and of tasks that are kept.
    private static let limit = 50_000

    /// The oldest live tasks known, by ascending id.
    private var tasks: [TaskID] = []
    /// The last task that was looked at. `.none` to begin again.
    private var last = TaskID.none

    package init() {}

    /// The live tasks known so far, the oldest first, after a look at the next rows.
    mutating func look(_ store: TraceStore) -> [TaskRow] {
        var rows = tasks.compactMap { store.row(of: $0) }.filter { !store[$0].state.hasEnded }
        var found: [TaskRow] = []
        var looked = 0
        for row in store.rows(after: last).prefix(Self.limit) {
            let task = store[row]
            looked += 1
            last = task.id
            if !task.state.hasEnded, task.kind != .internal { found.append(row) }
        }
        if looked < Self.limit { last = .none }
        rows = merged(rows, found, store)
        tasks = rows.map { store[$0].id }
        return rows
    }

    /// Two lists by ascending id, each task once.
    private func merged(_ rows: [TaskRow], _ others: [TaskRow], _ store: TraceStore) -> [TaskRow] {
        var all: [TaskRow] = []
        all.reserveCapacity(min(Self.limit, rows.count + others.count))
        var (index, other) = (0, 0)
        while all.count < Self.limit, index < rows.count || other < others.count {
            let id = index < rows.count ? store[rows[index]].id.rawValue : .max
            let otherID = other < others.count ? store[others[other]].id.rawValue : .max
            all.append(id <= otherID ? rows[index] : others[other])
            if id <= otherID { index += 1 }
            if otherID <= id { other += 1 }
        }
        return all
    }
}
