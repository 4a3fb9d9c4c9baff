import TaskEvents
import TraceStore

/// The live tasks of a trace, found a bounded number of rows at a time. A server that has run for long keeps hundreds of thousands of ended
/// tasks, and the one that hangs may be anywhere among them.
package struct LiveTasks: Sendable {
    /// The number of tasks that are kept.
    private static let limit = 50_000

    /// The oldest tasks that were live when their rows were read, by ascending id.
    private var tasks: [TaskID] = []
    /// The last task that was looked at. `.none` to begin again.
    private var last = TaskID.none

    package init() {}

    /// Whether the rows have been read up to the last one.
    var isComplete: Bool { last == .none }

    /// The tasks of the rows that have been read since the first one.
    var known: ArraySlice<TaskID> { isComplete ? tasks[...] : tasks[..<tasks.partitioningIndex { $0 > last }] }

    /// Looks at the next rows, `portion` of them at most.
    mutating func look(_ store: TraceStore, portion: Int) {
        let before = last
        var found: [TaskID] = []
        var looked = 0
        for row in store.rows(after: before).prefix(portion) {
            let task = store[row]
            looked += 1
            last = task.id
            if !task.state.hasEnded, task.kind != .internal { found.append(task.id) }
        }
        if looked < portion { last = .none }
        let after = last
        let first = tasks.partitioningIndex { $0 > before }
        let end = after == .none ? tasks.count : tasks.partitioningIndex { $0 > after }
        tasks.replaceSubrange(first..<end, with: found)
        if tasks.count > Self.limit { tasks.removeLast(tasks.count - Self.limit) }
    }
}
