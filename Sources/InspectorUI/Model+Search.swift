import TaskEvents
import TerminalCanvas
import TraceAnalysis

/// The search through the list below the search line.
extension Model {
    /// The number of rows that a frame examines.
    private static let portion = 1 << 12

    var search: SearchScreen? { overlays.last as? SearchScreen }

    /// Begins with the search that the user has asked for, or goes on with it.
    mutating func searchBelow() {
        guard var search, let index = overlays.indices.last, search.request != nil || search.progress != nil else { return }
        var below = index > 0 ? overlays[index - 1] : screens[shown]
        if let rows = below.searched(shared) {
            if let request = search.request { search.progress = Self.progress(search.text, request, rows) }
            if let row = Self.advance(&search, rows) { below.select(found: row, &shared) }
        } else if let request = search.request {
            searchTasks(&search, request)
        }
        search.request = nil
        if index > 0 { overlays[index - 1] = below } else { screens[shown] = below }
        overlays[index] = search
    }

    private static func progress(_ text: String, _ request: SearchScreen.Request, _ rows: SearchedRows) -> SearchScreen.Progress {
        let cursor = rows.cursor.map { min($0, max(0, rows.count - 1)) }
        let start: Int
        switch request {
        case .here: start = cursor ?? 0
        case .next: start = cursor.map { $0 + 1 } ?? 0
        case .previous: start = (cursor ?? 0) + rows.count - 1
        }
        return SearchScreen.Progress(words: SearchWords(text), start: start, isForward: request != .previous)
    }

    /// Examines a portion of the rows. Returns the row that fits.
    private static func advance(_ search: inout SearchScreen, _ rows: SearchedRows) -> Int? {
        guard var progress = search.progress else { return nil }
        let end = min(rows.count, progress.examined + portion)
        while progress.examined < end {
            let offset = progress.isForward ? progress.examined : rows.count - progress.examined
            let row = (progress.start + offset) % rows.count
            if progress.words.fit(rows.text(row)) {
                search.progress = nil
                search.outcome = .found("row \(CountText.text(row + 1)) of \(CountText.text(rows.count))")
                return row
            }
            progress.examined += 1
        }
        search.progress = end < rows.count ? progress : nil
        search.outcome = end < rows.count ? .searching(percent: end * 100 / rows.count) : .nothing
        return nil
    }

    /// Follows the next task that fits the query.
    private mutating func searchTasks(_ search: inout SearchScreen, _ request: SearchScreen.Request) {
        do throws(QueryError) {
            let query = try TaskQuery(search.text, isTyping: true)
            let tasks = TaskQueryMatcher(query, in: store, warnings: shared.findings.index).tasks()
            guard let place = Self.place(in: tasks, request, from: shared.selection) else {
                search.outcome = .nothing
                return
            }
            search.outcome = .found("\(CountText.text(place + 1)) of \(CountText.text(tasks.count, "task"))")
            shared.follow(tasks[place])
        } catch {
            search.outcome = .problem(error.description)
        }
    }

    private static func place(in tasks: [TaskID], _ request: SearchScreen.Request, from selection: TaskID?) -> Int? {
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
