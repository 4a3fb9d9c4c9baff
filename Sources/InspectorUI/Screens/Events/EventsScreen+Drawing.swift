import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

extension EventsScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        let words = shared.eventWords
        let events = pane.rows.compactMap { shared.history.event(number: number(at: $0))?.event }
        let names = events.lazy.compactMap { words.subject(of: $0) }.map { CharacterWidth.of($0) }.max() ?? 0
        let sentences = events.lazy.map { CharacterWidth.of(words.predicate(of: $0)) }.max() ?? 0
        let columns = EventColumns(width: heading.columns - 1, names: names, sentences: sentences, shared.history)
        var titles = [("#", columns.number, Alignment.right), ("Time", columns.time, .right), ("Task", columns.task, .left)]
        if let since = columns.since { titles.append(("Since last", since, .right)) }
        canvas.heading(titles + [("What happened", columns.words, .left)], in: heading)
        pane.draw(on: &canvas) { row, rowArea, canvas in draw(number(at: row), words, shared, columns, in: rowArea, on: &canvas) }
        if pane.count == 0 { EmptyNote.draw(emptyText(shared), in: pane.area, on: &canvas) }
        let progress = matches.progress(shared.history).map { $0 < 100 && !matches.query.isEmpty ? "searching \($0) %  " : "" } ?? ""
        let total = CountText.text(max(0, shared.history.eventCount - shared.history.firstListed + 1), "event")
        filter.draw(count: "\(progress)\(CountText.text(pane.count)) of \(total)", hint: hint, on: &canvas)
    }

    private var hint: (text: String, isProblem: Bool)? { problem.map { ($0.description, true) } }

    private func emptyText(_ shared: SharedState) -> String {
        guard shared.history.eventCount > 0 else {
            return shared.program.hasEnded
                ? "The program ended without an event." : "No event yet: each appears here as soon as it happens."
        }
        return matches.isSettled(shared.history) ? "No event matches the filter. Esc drops it." : "Looking for events that match."
    }

    private func draw(
        _ number: Int, _ words: TaskWords, _ shared: SharedState, _ columns: EventColumns, in rect: Rect, on canvas: inout Canvas
    ) {
        func point(_ range: Range<Int>) -> Point { Point(column: rect.left + range.lowerBound, row: rect.top) }
        canvas.write(
            CountText.text(number), at: point(columns.number), style: Style(.dim), limit: columns.number.count, align: .right)
        guard let event = shared.history.event(number: number)?.event else {
            canvas.write("not kept any more", at: point(columns.task), style: Style(.dim))
            return
        }
        let time = columns.isPrecise ? ClockText.precise(event.time) : ClockText.milliseconds(event.time)
        canvas.write(time, at: point(columns.time), style: Style(.dim), limit: columns.time.count, align: .right)
        if let since = columns.since, let before = shared.history.event(number: number - 1)?.event.time, event.time >= before {
            canvas.write(
                "+" + shared.duration(event.time - before), at: point(since), style: Style(.dim), limit: since.count, align: .right)
        }
        let role = event.kind?.role ?? .dim
        if let kind = event.kind { canvas.put(kind.canvasGlyph, at: point(columns.glyph), style: Style(role)) }
        if let subject = words.subject(of: event) {
            let name = subject.fittingName(columns.task.count, shared.glyphs)
            canvas.write(name, at: point(columns.task), style: Style(.text), limit: columns.task.count)
        }
        let predicate = words.predicate(of: event).fittingWords(columns.words.count, shared.glyphs)
        canvas.write(predicate, at: point(columns.words), style: Style(role), limit: columns.words.count)
    }
}

/// The columns of an event's line.
struct EventColumns {
    let number: Range<Int>
    let time: Range<Int>
    /// The time since the previous event. Nil if there is no room for it.
    let since: Range<Int>?
    let glyph: Range<Int>
    let task: Range<Int>
    let words: Range<Int>
    let isPrecise: Bool

    private static let leastNameColumns = 20

    /// A long sentence takes room from the names, as far as most of a name stays.
    ///
    /// - Parameters:
    ///   - names: the width of the longest name in sight.
    ///   - sentences: the width of the longest sentence in sight.
    init(width: Int, names: Int, sentences: Int, _ history: TraceHistory) {
        isPrecise = width >= 100
        number = 1..<1 + max(3, CountText.text(history.eventCount).count)
        let clock = history.event(number: history.eventCount).map { ClockText.precise($0.event.time).count } ?? 12
        time = number.upperBound + 2..<number.upperBound + 2 + (isPrecise ? clock : clock - 3)
        since = isPrecise ? time.upperBound + 2..<time.upperBound + 13 : nil
        let start = (since ?? time).upperBound + 2
        glyph = start..<start + 1
        let usual = max(16, min(40, (width - start) / 3), min(names, 48, (width - start) / 2))
        let left = width - (start + 2) - 1 - sentences
        task = start + 2..<start + 2 + min(usual, max(left, min(names, Self.leastNameColumns), Self.leastNameColumns / 2))
        words = task.upperBound + 1..<max(task.upperBound + 2, width)
    }
}
