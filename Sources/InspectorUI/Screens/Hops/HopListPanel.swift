import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws the hops of one cell: time, task, wait, the job that it waited for, and class.
struct HopListPanel {
    let ends: HopEnds
    let cell: HopCell
    let hops: [ClassedHop]
    let isByWait: Bool
    let shared: SharedState

    private var store: TraceStore { shared.store }

    func draw(title: Rect, pane: ListPane, on canvas: inout Canvas) {
        drawTitle(in: title, on: &canvas)
        let causes = pane.rows.map { cause(of: hops[$0].hop, isLong: isWide(pane.area)) }
        let columns = columns(of: pane.rows.map { hops[$0] }, causes, in: pane.area)
        pane.draw(on: &canvas) { row, rowArea, canvas in
            draw(hops[row], cause: causes[row - pane.rows.lowerBound], columns, in: rowArea, on: &canvas)
        }
    }

    private func isWide(_ rect: Rect) -> Bool { rect.columns >= 110 }

    /// Whether each line has its hop's class. A list of hops of one class has it in the title alone.
    private var hasClasses: Bool { !HopClass.allCases.contains { cell.count(of: $0) == cell.count } }

    /// The room for a hop's task and for the job that it waited for. The names in sight share it by their widths.
    private func columns(of hops: [ClassedHop], _ causes: [Cause?], in rect: Rect) -> (name: Int, cause: Int) {
        // The state takes 13 columns of a wide line.
        let free = rect.columns - 1 - 15 - 16 - (hasClasses ? 12 : 0) - (isWide(rect) ? 13 : 0)
        let widths = hops.map { (width: CharacterWidth.of(shared.name(of: $0.hop.task)), hop: $0.hop) }
        let names = widths.lazy.filter { $0.hop.wait != nil }.map(\.width).max() ?? 0
        let cause = causes.lazy.map { $0?.width ?? 0 }.max() ?? 0
        let name = max(14, min(names, max(free * 1 / 3, free - 2 - cause)))
        // The name of a job that did not wait has the room of the wait and the cause too.
        let unwaited = widths.lazy.filter { $0.hop.wait == nil }.map(\.width).max() ?? 0
        return (name, max(0, min(max(cause, unwaited - name - 16, 12), free - name - 2)))
    }

    private func drawTitle(in rect: Rect, on canvas: inout Canvas) {
        canvas.horizontalLine(at: rect.origin, columns: rect.columns)
        let words = TaskWords(store)
        let arrow = Character(shared.glyphs[.arrow])
        var spans = [
            Span(" \(words.name(ends.from)) \(arrow) \(words.name(ends.to)) ", .title, .bold),
            Span("\(CountText.text(cell.count, "hop"))", .text),
        ]
        for hopClass in HopClass.allCases {
            let count = cell.count(of: hopClass)
            guard count > 0 else { continue }
            let text = count == cell.count ? ", \(count > 1 ? "all " : "")\(hopClass.name)" : ", \(CountText.text(count)) \(hopClass.name)"
            spans.append(Span(text, shared.findings.hopWarnings.isWarned(hopClass, ends) ? .warning : .dim))
        }
        if hops.count < cell.count { spans.append(Span(", \(CountText.text(hops.count)) listed", .dim)) }
        let order = Span(isByWait ? ", longest wait first " : ", newest first ", .dim)
        if cell.waits.count > 0 {
            let waits = Span(", wait p50 \(shared.duration(cell.p50)), p99 \(shared.duration(cell.p99))", .dim)
            // A title that does not fit leaves the figures out, which the matrix has too.
            if (spans + [waits, order]).reduce(2, { $0 + $1.width }) <= rect.columns { spans.append(waits) }
        }
        spans.append(order)
        canvas.write(spans, at: rect.origin.moved(columns: 1), end: rect.right - 1)
    }

    /// Time, task, wait, the job that it waited for, class, and on a wide terminal the task's state.
    private func draw(
        _ hop: ClassedHop, cause: Cause?, _ columns: (name: Int, cause: Int), in rect: Rect, on canvas: inout Canvas
    ) {
        var column = rect.left + 15
        func nextPoint(_ columns: Int) -> Point {
            defer { column += columns + 1 }
            return Point(column: column, row: rect.top)
        }
        canvas.write(ClockText.precise(hop.hop.at), at: rect.origin.moved(columns: 1), style: Style(.dim))
        let isWaiting = HopAnalysis(store).isWaiting(hop.hop)
        let wait = hop.hop.wait.map { "waited " + shared.duration($0) } ?? (isWaiting ? "waits" : "")
        let room = wait.isEmpty ? columns.name + 16 + columns.cause : columns.name
        canvas.write(shared.name(of: hop.hop.task).fittingName(room, shared.glyphs), at: nextPoint(columns.name), limit: room)
        canvas.write(wait, at: nextPoint(15), style: Style(isWaiting ? .queued : .text), limit: 15, align: .right)
        let point = nextPoint(columns.cause)
        if let cause = cause?.text(columns.cause, shared.glyphs) {
            canvas.write(cause, at: point, style: Style(.queued), limit: columns.cause)
        }
        if hasClasses {
            let isWarned = shared.findings.hopWarnings.isWarned(hop.hopClass, ends)
            canvas.write(hop.hopClass.name, at: nextPoint(11), style: Style(isWarned ? .warning : .dim), limit: 11)
        }
        guard isWide(rect), let task = store.task(hop.hop.task) else { return }
        let state = DisplayedState(task)
        let start = nextPoint(13)
        canvas.put(state.canvasGlyph, at: start, style: Style(state.role))
        canvas.write(shared.word(of: state), at: start.moved(columns: 2), style: Style(state.role), limit: 11)
    }

    /// The job that a hop waited for. A name that does not fit is cut before the other words.
    private struct Cause {
        var start: String
        var name: String
        var end: String

        var width: Int { CharacterWidth.of(start) + CharacterWidth.of(name) + CharacterWidth.of(end) }

        func text(_ columns: Int, _ glyphs: GlyphSet) -> String {
            let room = columns - CharacterWidth.of(start) - CharacterWidth.of(end)
            return room < 8 ? (start + name + end).fittingWords(columns, glyphs) : start + name.fittingName(room, glyphs) + end
        }
    }

    /// `for draw(until:_:)`, or on a wide terminal `for draw(until:_:) HopStorm.swift:29, 7.9 ms, +1 more`.
    private func cause(of hop: Hop, isLong: Bool) -> Cause? {
        guard let cause = HopAnalysis(store).cause(of: hop) else { return nil }
        let words = TaskWords(store)
        let name = words.name(of: cause.task, closure: cause.label)
        let more = cause.others > 0 ? " +\(CountText.text(cause.others))" : ""
        // On an executor with several threads, the jobs that ran meanwhile need not have delayed this one.
        let start = cause.isSerial ? "for " : "during "
        guard isLong else { return Cause(start: start, name: name, end: more) }
        let site = words.site(of: cause.task, closure: cause.label).map { " \($0)" } ?? ""
        return Cause(start: start, name: name, end: "\(site), \(shared.duration(cause.time))\(more.isEmpty ? "" : ",\(more) more")")
    }
}
