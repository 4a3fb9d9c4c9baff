import TaskEvents
import TraceAnalysis
import TraceStore

/// The live tasks of each group by name or place, added up in one portion of tasks per frame.
///
/// A list without events keeps its figures. While a trace goes on, a pass over the tasks follows another, and the figures are those of the
/// last whole pass.
struct GroupFigures {
    /// The number of tasks that a frame reads.
    static let portion = 1 << 14

    private var shown: [TaskGroup.Name: LiveSite] = [:]
    private var pass: Pass?
    private var eventCount = -1
    private var grouping = TaskGrouping.none

    private struct Pass {
        let tasks: [TaskID]
        let groups: TaskGroups
        let eventCount: Int
        var next = 0
        var group = 0
        var figures: [TaskGroup.Name: LiveSite] = [:]
    }

    /// Nil before the first pass has ended, and for other groups.
    subscript(name: TaskGroup.Name) -> LiveSite? { shown[name] }

    /// Whether no pass is unfinished.
    var isSettled: Bool { pass == nil }

    mutating func refresh(_ rows: TaskListRows, _ store: TraceStore, _ grouping: TaskGrouping) {
        if grouping != self.grouping {
            self = GroupFigures()
            self.grouping = grouping
        }
        guard grouping == .site || grouping == .name else { return }
        if pass == nil {
            guard eventCount != store.eventCount else { return }
            pass = Pass(tasks: rows.tasks, groups: rows.groups, eventCount: store.eventCount)
        }
        guard advance(store), let done = pass else { return }
        (shown, eventCount, pass) = (done.figures, done.eventCount, nil)
    }

    /// Reads the pass's next tasks. True if it has read all.
    private mutating func advance(_ store: TraceStore) -> Bool {
        guard var pass else { return true }
        // The pass is changed in place: a second holder would copy its figures.
        self.pass = nil
        let end = min(pass.tasks.count, pass.next + Self.portion)
        while pass.next < end {
            let group = pass.groups[pass.group]
            let last = min(end, group.tasks.upperBound)
            for task in pass.tasks[pass.next..<last].lazy.compactMap({ store.task($0) }) {
                guard let created = task.created else { continue }
                pass.figures[group.name, default: LiveSite(site: "", first: created)].add(
                    created: created, isLive: !task.state.hasEnded, memory: task.memory)
            }
            pass.next = last
            if last == group.tasks.upperBound { pass.group += 1 }
        }
        self.pass = pass
        return end == pass.tasks.count
    }
}
