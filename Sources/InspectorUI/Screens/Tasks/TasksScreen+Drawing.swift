import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

extension TasksScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        let columns = columns(shared)
        drawHeading(shared, columns, on: &canvas)
        pane.draw(on: &canvas, cursor: cursorRow) { row, rowArea, canvas in
            switch rows[row] {
            case .task(let id):
                guard let task = shared.store.task(id) else { return }
                let lead = tree.leads[id] ?? ""
                let line = TaskLine(
                    task: task, store: shared.store, glyphs: shared.glyphs, sentence: shared.sentence, isOver: shared.isOver, lead: lead)
                for (column, columns) in columns {
                    let point = rowArea.origin.moved(columns: columns.lowerBound)
                    column.row.draw(line, TaskCell(point: point, columns: columns.count, alignment: column.row.alignment), &canvas)
                }
            case .heading(let group, let isFolded):
                GroupHeading(group: group, figures: figures[group.name], isFolded: isFolded, isFiltered: !query.isEmpty, shared: shared)
                    .draw(in: rowArea, on: &canvas)
            }
        }
        if rows.count == 0 { drawEmpty(shared, on: &canvas) }
        let sorting = order.isAwaited && order.isBusy ? "sorting  " : ""
        let store = shared.store
        let all = query.asksForKind ? store.keptCount : store.taskCount - store.evictedCount
        let count = "\(sorting)\(CountText.text(order.matchCount)) of \(CountText.text(all, "task"))"
        filter.draw(count: count, hint: hint(shared), on: &canvas)
    }

    private func drawHeading(
        _ shared: SharedState, _ columns: [(column: TaskColumn, range: Range<Int>)], on canvas: inout Canvas
    ) {
        let (rect, sort) = (heading, shared.settings.sort)
        canvas.fill(rect, style: Style(.columnHeader))
        for (column, range) in columns {
            let isSorted = column == sort.column
            let arrow = shared.glyphs[sort.isReversed ? .sortedDown : .sortedUp]
            // The first column is too narrow for a title and an arrow, so it shows only the arrow.
            let title = isSorted ? (column == .sign ? "" : column.row.title) + String(Character(arrow)) : column.row.title
            canvas.write(
                title, at: Point(column: rect.left + range.lowerBound, row: rect.top), style: Style(.columnHeader, isSorted ? .bold : []),
                limit: range.count, align: column.row.alignment)
        }
    }

    private func drawEmpty(_ shared: SharedState, on canvas: inout Canvas) {
        let text: String
        if !query.isEmpty, shared.store.keptCount > 0 {
            text = "No task matches the filter. Esc drops it."
        } else if shared.program.hasEnded {
            text = "The program ended without making a task."
        } else {
            text = "No task yet: one appears here as soon as the program makes it."
        }
        EmptyNote.draw(text, in: pane.area, on: &canvas)
    }

    /// The problem in the filter. Without a problem, completions while the user types.
    private func hint(_ shared: SharedState) -> (text: String, isProblem: Bool)? {
        let completions = filter.isTyping ? TaskQuery.completions(of: filterText, in: shared.store, limit: 8) : []
        // An incomplete word is not a problem as long as it can still become a known word.
        if let problem, completions.isEmpty || problem.range.upperBound < filterText.count {
            return (problem.description, true)
        }
        return completions.isEmpty ? nil : (completions.map(\.text).joined(separator: "  "), false)
    }
}

/// The line above a group's tasks.
struct GroupHeading {
    let group: TaskGroup
    /// The figures of a group by name or place, once they have been added up.
    let figures: LiveSite?
    let isFolded: Bool
    /// Whether a filter leaves out tasks of the group.
    let isFiltered: Bool
    let shared: SharedState

    func draw(in rect: Rect, on canvas: inout Canvas) {
        canvas.put(isFolded ? .folded : .unfolded, at: rect.origin.moved(columns: 1), style: Style(.title))
        let tasks = CountText.text(group.tasks.count, "task")
        // An error that ends ten tasks is one fault.
        let faults = isOfFaulted && !isFiltered ? ", \(CountText.text(shared.faults.count, "fault"))" : ""
        let spans = title + [Span("  \(tasks)\(faults)", .dim)] + live
        canvas.write(spans, at: rect.origin.moved(columns: 3), end: rect.right - 1)
    }

    /// The group's live tasks: how many, the oldest one's age, their memory, and how many more there are each second. Snapshots do not
    /// show when a task was created.
    private var live: [Span] {
        guard let figures, figures.live > 0 else { return [] }
        var spans = [Span(", \(CountText.text(figures.live)) live", .running)]
        let now = shared.store.now
        let isSampled = shared.store.isSampled
        if !isSampled, let oldest = figures.oldest {
            spans.append(Span(", oldest \(shared.duration(now > oldest ? now - oldest : 0))", .dim))
        }
        if let memory = figures.memory { spans.append(Span(", \(SizeText.text(memory))", .dim)) }
        if !isSampled, let growth = figures.growthText(until: now) { spans.append(Span(", \(growth)", .dim)) }
        return spans
    }

    private var isOfFaulted: Bool { group.name == .state(UInt8(DisplayedState.faulted.rank)) }

    private var title: [Span] {
        let words = TaskWords(shared.store)
        switch group.name {
        case .state(let rank):
            guard DisplayedState.byUrgency.indices.contains(Int(rank)) else { return [] }
            return [shared.span(of: DisplayedState.byUrgency[Int(rank)], .bold)]
        case .executor(let executor):
            return [Span(executor == .none ? "on no executor" : words.name(executor), .title, .bold)]
        case .name(let name):
            return [Span(name.map(\.printable) ?? "without a name", .title, .bold)]
        case .site(let site):
            return [Span(site.isEmpty ? "at an unknown place" : site.printable, .title, .bold)]
        case .library(let library):
            return [Span(library.isEmpty ? "the program" : library.printable, .title, .bold)]
        case .chain(let chain):
            return [Span("chain \(chain.rawValue)", .dim), Span("  \(shared.name(of: chain))", .title, .bold)]
        }
    }
}
