import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// A column of the task list. The raw value is its name in the user's settings. Columns appear in this order unless the user moves them.
package enum TaskColumn: String, CaseIterable, Sendable {
    case sign = "mark"
    case id, state, name, waits, executor, total, busy, queued, hops, next, site

    /// The properties of the column.
    var row: TaskColumnRow {
        switch self {
        case .sign:
            TaskColumnRow(
                "!", help: "a warning sign: its error was never read; ?: the trace lacks its beginning", width: 1, importance: 3,
                startsReversed: true, sort: .fact(.trouble)
            ) { line, cell, canvas in
                switch line.task.trouble {
                case .unobserved: canvas.put(.warning, at: cell.point, style: Style(.warning))
                case .synthesised: canvas.write("?", at: cell.point, style: Style(.warning))
                case nil: break
                }
            }
        case .id:
            TaskColumnRow("ID", width: 6, .right, importance: 2, field: .id, sort: .fact(.id)) { line, cell, canvas in
                cell.write(Int(clamping: line.task.id.rawValue), Style(.dim), on: &canvas)
            }
        case .state:
            TaskColumnRow("State", width: 11, importance: 1, field: .state, sort: .state) { line, cell, canvas in
                let state = DisplayedState(line.task)
                canvas.put(state.canvasGlyph, at: cell.point, style: Style(state.role))
                canvas.write(
                    line.task.isHeld ? "held" : state.word(isOver: line.isOver), at: cell.point.moved(columns: 2),
                    style: Style(line.task.isHeld ? .warning : state.role), limit: cell.columns - 2)
            }
        case .name:
            TaskColumnRow("Name", width: 16, importance: 0, growth: 3, field: .name, sort: .text(.label, TaskSortText.name)) {
                line, cell, canvas in
                cell.write(
                    name: line.words.name(of: line.task), after: line.lead, Style(line.task.isSkipped ? .skipped : .text), on: &canvas)
            }
        case .waits:
            TaskColumnRow("Waits for", width: 14, importance: 5, growth: 2, field: .waits, sort: .wait) { line, cell, canvas in
                guard let wait = WaitsFor(line.task, in: line.store) else { return }
                let text = line.sentence(wait.text(in: line.store)).fitting(
                    cell.columns, keeping: wait.shortSite(in: line.store), line.glyphs)
                cell.write(text, Style(wait.kind == .executor ? .queued : .suspended), on: &canvas)
            }
        case .executor:
            TaskColumnRow("Executor", width: 10, importance: 6, field: .on, sort: .text(.executor, TaskSortText.executor)) {
                line, cell, canvas in
                guard line.task.executor != .none else { return canvas.put(.none, at: cell.point, style: Style(.dim)) }
                cell.write(name: line.words.name(line.task.executor), Style(line.store.role(of: line.task.executor)), on: &canvas)
            }
        case .total:
            TaskColumnRow("Total", width: 8, .right, importance: 4, startsReversed: true, field: .total, sort: .knownFact(.total)) {
                line, cell, canvas in
                cell.write(duration: line.task.total(at: line.store.now), isLeast: line.store.isSampled || line.task.isAdopted, on: &canvas)
            }
        case .busy:
            TaskColumnRow("Busy", width: 8, .right, importance: 8, startsReversed: true, field: .busy, sort: .fact(.busy)) {
                line, cell, canvas in
                cell.write(duration: line.task.startManner == nil ? nil : line.task.busy, on: &canvas)
            }
        case .queued:
            TaskColumnRow("Queued", width: 8, .right, importance: 7, startsReversed: true, field: .queued, sort: .fact(.queued)) {
                line, cell, canvas in
                cell.write(duration: line.task.queued == nil ? nil : line.task.queuedTime, on: &canvas)
            }
        case .hops:
            TaskColumnRow("Hops", width: 4, .right, importance: 10, startsReversed: true, field: .hops, sort: .fact(.hops)) {
                line, cell, canvas in
                let count = line.task.hopCount
                if count > 0 { return cell.write(count, Style(.hop), on: &canvas) }
                canvas.put(.none, at: cell.point.moved(columns: cell.columns - 1), style: Style(.dim))
            }
        case .next:
            TaskColumnRow(
                "Next", help: "the task that it waits for, or that continues from it", width: 16, importance: 9, spare: 4, growth: 2,
                sort: .next
            ) { line, cell, canvas in
                if let text = line.next { cell.write(text, Style(.dim), on: &canvas) }
            }
        case .site:
            TaskColumnRow(
                "Where", width: 18, importance: 11, spare: 4, growth: 2, field: .site, sort: .text(.label, TaskSortText.site)
            ) { line, cell, canvas in
                cell.write(line.site, Style(.dim), on: &canvas)
            }
        }
    }

    fileprivate static let byImportance = allCases.sorted { $0.row.importance < $1.row.importance }
}

/// The properties of one column: its heading, width, sort order and text.
struct TaskColumnRow: Sendable {
    typealias Drawing = @Sendable (TaskLine, TaskCell, inout Canvas) -> Void

    let title: String
    private let ownHelp: String
    /// The smallest useful width.
    let width: Int
    let alignment: Alignment
    /// A narrow screen keeps the columns with the lowest numbers.
    let importance: Int
    /// The number of free columns that must remain for growing columns before this one appears.
    let spare: Int
    /// The column's share of the free columns. Text columns grow, number columns do not.
    let growth: Int
    /// Whether sorting begins with the greatest value: the slowest task, the most hops.
    let startsReversed: Bool
    /// The query field for the same fact.
    let field: QueryField?
    let sort: TaskSortKey
    let draw: Drawing

    /// The column's meaning, and the query that tests the same fact.
    var help: String { field.map { "\($0.summary), filter \($0.example)" } ?? ownHelp }

    init(
        _ title: String, help: String = "", width: Int, _ alignment: Alignment = .left, importance: Int, spare: Int = 0, growth: Int = 0,
        startsReversed: Bool = false, field: QueryField? = nil, sort: TaskSortKey, draw: @escaping Drawing
    ) {
        (self.title, ownHelp, self.width, self.alignment) = (title, help, width, alignment)
        (self.importance, self.spare, self.growth) = (importance, spare, growth)
        (self.startsReversed, self.field, self.sort, self.draw) = (startsReversed, field, sort, draw)
    }
}

/// The user's choice of columns and their order.
package struct TaskColumns: Hashable, Sendable {
    /// All columns from left to right.
    package private(set) var order = TaskColumn.allCases
    package var hidden: Set<TaskColumn> = []

    package init() {}

    /// Columns missing from `order` follow the others.
    package init(order: [TaskColumn], hidden: Set<TaskColumn>) {
        var seen: Set<TaskColumn> = []
        self.order = (order + TaskColumn.allCases).filter { seen.insert($0).inserted }
        self.hidden = hidden
    }

    /// Moves a column past the next visible one, to the left or to the right. False at the end.
    mutating func move(_ column: TaskColumn, by step: Int) -> Bool {
        guard let index = order.firstIndex(of: column) else { return false }
        var other = index + step
        while order.indices.contains(other), hidden.contains(order[other]) { other += step }
        guard order.indices.contains(other) else { return false }
        order.remove(at: index)
        order.insert(column, at: other)
        return true
    }

    /// The room that a long name gets before the less important columns of words.
    private static let mostNameRoom = 48
    /// The room that waits get beyond their smallest width, before the less important columns.
    private static let waitRoom = 12
    private static let wideColumns = 84

    /// The columns that fit into a width, with their columns. A blank precedes each column. An empty column takes no room.
    ///
    /// - Parameters:
    ///   - names: the width of the longest name in sight.
    ///   - hasDetail: whether the detail of the selected task stands beside the list. Long names then also get the room of columns whose
    ///     facts the detail has.
    func fit(_ width: Int, names: Int = 0, empty: TaskColumn? = nil, hasDetail: Bool = false) -> [(column: TaskColumn, range: Range<Int>)] {
        let wanted = min(names, Self.mostNameRoom) - TaskColumn.name.row.width
        var kept: Set<TaskColumn> = []
        var left = width - 1
        var isFull = false
        for column in TaskColumn.byImportance where !hidden.contains(column) && column != empty {
            guard left > column.row.width else { break }
            var spare = column.row.spare
            if spare > 0 || hasDetail && column.row.importance >= TaskColumn.executor.row.importance { spare = max(spare, wanted) }
            // Beside long names, the words of a wait tell more than the lesser numbers.
            let isLesser = column.row.spare == 0 && column.row.importance > TaskColumn.executor.row.importance
            if isLesser, wanted > 0, kept.contains(.waits) { spare = max(spare, wanted + Self.waitRoom) }
            if isLesser, isFull { continue }
            guard left > column.row.width + spare else {
                isFull = isFull || isLesser
                continue
            }
            kept.insert(column)
            left -= column.row.width + 1
        }
        let columns = order.filter(kept.contains)
        // Names are whole before any other column grows.
        let named = kept.contains(.name) ? max(0, min(left, wanted)) : 0
        left -= named
        // The words of a wait get what whole names leave, from the width on at which most columns have room.
        let isNamed = wanted > 0 && named == wanted && kept.contains(.waits) && width >= Self.wideColumns
        let growth = { (column: TaskColumn) in column == .name && isNamed ? 0 : column.row.growth }
        let parts = columns.reduce(0) { $0 + growth($1) }
        var start = 1
        var partsBefore = 0
        return columns.map { column in
            // Dividing the running sum also distributes the remainders of rounding.
            let before = parts == 0 ? 0 : left * partsBefore / parts
            partsBefore += growth(column)
            let after = parts == 0 ? 0 : left * partsBefore / parts
            let range = start..<start + column.row.width + after - before + (column == .name ? named : 0)
            start = range.upperBound + 1
            return (column, range)
        }
    }
}
