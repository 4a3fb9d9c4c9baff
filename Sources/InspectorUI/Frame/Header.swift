import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The first line: the program, its state, and the numbers of its tasks, findings and errors.
enum Header {
    private struct Part {
        var spans: [Span]
        /// On a narrow screen, the parts with the greatest value are dropped first. A part with 0 is never dropped.
        var dispensability: Int
        var isRight = false

        var width: Int { spans.reduce(0) { $0 + $1.width } }
    }

    static func draw(_ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.header))
        var parts = parts(of: shared, programLimit: Self.programColumns)
        let spare = rect.columns - 1 - width(of: parts)
        if spare > 0 { parts = self.parts(of: shared, programLimit: Self.programColumns + spare) }
        parts = fitting(parts, columns: rect.columns)
        var column = rect.left + 1
        for part in parts where !part.isRight {
            column = canvas.write(part.spans, at: Point(column: column, row: rect.top), end: rect.right) + 2
        }
        column = rect.right - 1
        for part in parts.reversed() where part.isRight {
            canvas.write(part.spans, at: Point(column: column - part.width, row: rect.top), end: rect.right)
            column -= part.width + 2
        }
    }

    /// The room of the program's name where the header is full.
    private static let programColumns = 24

    /// The inspector says that it is behind from this number of nanoseconds on. A shorter delay is no news.
    private static let leastBehind: UInt64 = 1_000_000_000

    /// The parts that fit, the least dispensable first. A smaller part may fit where a larger one does not; on the right, none follows one
    /// that does not fit, because the number of lost events means little without the clock.
    private static func fitting(_ parts: [Part], columns: Int) -> [Part] {
        var room = columns
        var kept = Set<Int>()
        var isRightFull = false
        for level in 0...(parts.map(\.dispensability).max() ?? 0) {
            let indices = parts.indices.filter { parts[$0].dispensability == level }
            let needed = width(of: indices.map { parts[$0] })
            let isRight = indices.contains { parts[$0].isRight }
            guard level == 0 || needed <= room && !(isRight && isRightFull) else {
                isRightFull = isRightFull || isRight
                continue
            }
            room -= needed
            kept.formUnion(indices)
        }
        return parts.indices.filter(kept.contains).map { parts[$0] }
    }

    private static func width(of parts: [Part]) -> Int {
        parts.reduce(0) { $0 + $1.width + 2 }
    }

    /// The position of the cursor, in words that fit the width.
    private static func status(of shared: SharedState) -> String {
        let history = shared.history
        let paused = Character(shared.glyphs[.paused])
        if let walk = shared.stepping?.walk {
            let words = shared.size.columns < 80 ? "looking" : "looking for that event, at \(CountText.text(max(0, walk.next)))"
            return "\(paused) \(words)"
        }
        if let goal = history.goal {
            let (position, goal) = (CountText.text(history.position), CountText.text(goal))
            let words = shared.size.columns < 80 ? "to event \(goal)" : "on the way to event \(goal), at \(position)"
            return "\(paused) \(words)"
        }
        guard history.isAtLatest else {
            let (position, count) = (CountText.text(history.position), CountText.text(history.eventCount))
            let words = shared.size.columns < 80 ? "event \(position)/\(count)" : "paused at event \(position) of \(count)"
            return "\(paused) \(words)"
        }
        if history.hasMore {
            return "\(Character(shared.glyphs[.live])) reading \(history.position * 100 / history.eventCount) %"
        }
        guard shared.program.hasEnded else {
            let behind = shared.program.behind
            let words = behind < leastBehind ? "" : ", \(DurationText.text(behind, isASCII: shared.glyphs.isASCII)) behind"
            return "\(Character(shared.glyphs[.live])) live\(words)"
        }
        let words = shared.program.sawExit ? "ended" : "until \(ClockText.text(shared.store.now))"
        return (shared.glyphs.isASCII ? "# " : "■ ") + words
    }

    /// - Parameter programLimit: the number of columns at which the program's name is cut.
    private static func parts(of shared: SharedState, programLimit: Int) -> [Part] {
        let store = shared.store
        let program = PrintableText.text(shared.program.name).fitting(programLimit, shared.glyphs)
        let lost = store.lostCount
        var parts = [
            Part(spans: [Span("Hopscope", .header, .bold)], dispensability: 3),
            Part(spans: [Span(program, .header)], dispensability: 5),
            Part(spans: [Span(status(of: shared), shared.history.isAtLatest ? .header : .warning, .bold)], dispensability: 0),
            Part(spans: [Span(CountText.text(store.taskCount) + (store.taskCount == 1 ? " task" : " tasks"), .header)], dispensability: 0),
        ]
        if shared.program.processes.count > 1,
            let shown = shared.program.processes.map(\.pid).sorted().firstIndex(where: { $0 == shared.program.shownProcess })
        {
            let words = "process \(shown + 1) of \(shared.program.processes.count)"
            let key = shared.size.columns < 120 ? "" : "  A: the next"
            parts.append(Part(spans: [Span(words, .header, .bold), Span(key, .header)], dispensability: 1))
        }
        if let route = shared.program.route { parts.append(Part(spans: [Span(route, .warning)], dispensability: 1)) }
        let open = shared.isOver ? store.openCount : 0
        if open > 0 { parts.insert(Part(spans: [Span("\(CountText.text(open)) open at exit", .warning)], dispensability: 0), at: 3) }
        // Nothing runs or is queued in a program that has ended.
        let live: [(TaskState, Role, Int)] = shared.isOver ? [] : [(.running, .running, 2), (.queued, .queued, 4)]
        for (state, role, dispensability) in live {
            let count = store.count(of: state)
            parts.append(
                Part(spans: [Span("\(CountText.text(count)) \(state.name)", count > 0 ? role : .header)], dispensability: dispensability))
        }
        let faults = shared.faults.count
        // Snapshots do not show whether a task failed.
        if faults > 0 || !store.isSampled {
            parts.append(Part(spans: [Span(CountText.text(faults, "fault"), faults > 0 ? .faulted : .header)], dispensability: 0))
        }
        let warnings = shared.findings.count
        if warnings > 0 {
            let glyph = Character(shared.glyphs[.warning])
            parts.append(Part(spans: [Span("\(glyph) \(CountText.text(warnings))", .warning)], dispensability: 1))
        }
        if shared.isHolding || store.heldCount > 0 {
            let words = shared.size.columns < 120 ? "held" : "held: timing is not the program's"
            parts.insert(Part(spans: [Span(words, .warning, .bold)], dispensability: 0), at: 3)
        }
        if shared.program.completeSince > 0 {
            parts.append(
                Part(
                    spans: [Span("whole since \(ClockText.text(shared.program.completeSince))", .warning)], dispensability: 1, isRight: true
                ))
        }
        parts += [
            Part(
                spans: [Span("\(CountText.text(shared.history.eventCount)) ev", .header)],
                dispensability: shared.history.isAtLatest ? 7 : 9, isRight: true),
            Part(
                spans: [Span("\(CountText.text(lost)) lost", lost > 0 ? .warning : .header)], dispensability: lost > 0 ? 1 : 8,
                isRight: true),
            Part(spans: [Span(ClockText.text(store.now), .header)], dispensability: shared.history.isAtLatest ? 6 : 0, isRight: true),
        ]
        return parts
    }
}
