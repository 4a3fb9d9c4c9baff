import TaskEvents
import TraceStore

extension TraceStore {
    /// The ended tasks, the slowest first.
    ///
    /// A server's slowest tasks are those of the libraries that run it, which say nothing about its requests. So tasks of libraries count
    /// only for their own place, or if there are no others.
    ///
    /// - Parameter place: Only tasks that were made there; nil for all.
    package func slowestTasks(madeAt place: String? = nil) -> [TaskRow] {
        var tasks: [(row: TaskRow, time: UInt64, isOfLibrary: Bool)] = []
        for row in rows {
            let task = self[row]
            guard let created = task.created, let ended = task.ended, ended >= created else { continue }
            guard place.map(task.isMade(at:)) ?? true else { continue }
            tasks.append((row, ended - created, place == nil && entries.owner(of: task.labelID) == .library))
        }
        if tasks.contains(where: { !$0.isOfLibrary }) { tasks.removeAll(where: \.isOfLibrary) }
        return tasks.sorted { ($1.time, $0.row.rawValue) < ($0.time, $1.row.rawValue) }.map(\.row)
    }
}
