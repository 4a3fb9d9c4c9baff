import TaskEvents
import TraceAnalysis

extension SearchScreen {
    /// The number of rows that a frame examines.
    private static let portion = 1 << 12

    /// Begins with the search that the user has asked for, or continues it, in the layer below.
    mutating func advance(in below: inout any Layer, _ shared: inout SharedState) {
        guard request != nil || progress != nil else { return }
        if let rows = below.searched(shared) {
            if let request { progress = Self.progress(text, request, rows) }
            if let row = advance(through: rows) { below.select(found: row, &shared) }
        } else if let request {
            searchTasks(request, &shared)
        }
        request = nil
    }

    private static func progress(_ text: String, _ request: Request, _ rows: SearchedRows) -> Progress {
        let cursor = rows.cursor.map { min($0, max(0, rows.count - 1)) }
        let start: Int
        switch request {
        case .here: start = cursor ?? 0
        case .next: start = cursor.map { $0 + 1 } ?? 0
        case .previous: start = (cursor ?? 0) + rows.count - 1
        }
        return Progress(words: SearchWords(text), start: start, isForward: request != .previous)
    }

    /// Examines a portion of the rows. Returns the row that matches.
    private mutating func advance(through rows: SearchedRows) -> Int? {
        guard var progress else { return nil }
        let end = min(rows.count, progress.examined + Self.portion)
        while progress.examined < end {
            let offset = progress.isForward ? progress.examined : rows.count - progress.examined
            let row = (progress.start + offset) % rows.count
            if progress.words.match(rows.text(row)) {
                self.progress = nil
                outcome = .found("row \(CountText.text(row + 1)) of \(CountText.text(rows.count))")
                return row
            }
            progress.examined += 1
        }
        self.progress = end < rows.count ? progress : nil
        outcome = end < rows.count ? .searching(percent: end * 100 / rows.count) : .nothing
        return nil
    }

    /// Follows the next task that matches the query.
    private mutating func searchTasks(_ request: Request, _ shared: inout SharedState) {
        do throws(QueryError) {
            let query = try TaskQuery(text, isTyping: true)
            let tasks = TaskQueryMatcher(query, in: shared.store, warnings: shared.findings.index).tasks()
            guard let index = Self.index(in: tasks, request, from: shared.selection) else {
                outcome = .nothing
                return
            }
            outcome = .found("\(CountText.text(index + 1)) of \(CountText.text(tasks.count, "task"))")
            shared.follow(tasks[index])
        } catch {
            outcome = .problem(error.description)
        }
    }

    private static func index(in tasks: [TaskID], _ request: Request, from selection: TaskID?) -> Int? {
        guard !tasks.isEmpty else { return nil }
        let at = selection.map { selection in tasks.partitioningIndex { $0 >= selection } } ?? 0
        let isAt = at < tasks.count && tasks[at] == selection
        switch request {
        case .here: return at % tasks.count
        case .next: return (isAt ? at + 1 : at) % tasks.count
        case .previous: return (at + tasks.count - 1) % tasks.count
        }
    }
}
