import TerminalCanvas
import TraceAnalysis

/// Shows why the program does not go on: the causes that a look from outside has found, the likeliest first, with the waits and the stacks
/// that show each. It is an overlay.
struct StuckScreen: Layer {
    static let name = ScreenName("What is stuck")
    static let modes = [
        KeyMode("What is stuck", KeyRow.scrolling + [.enter("look again", "look again"), .escape("back", "back to where you were")])
    ]
    static let facets = Facets<Self>(
        keysEverywhere: [
            KeyRow(
                .character("W"), shown: "W", help: "what is stuck: looks at the program from outside, as --timeout does", .overlay(name))
        ],
        opening: { _, _, _, shared in
            guard shared.program.canBeLookedAt, !shared.program.hasEnded else {
                shared.notice = "There is no running process to look at."
                return .ignored
            }
            shared.stuckSearch = .asked
            return .push(StuckScreen())
        })

    private var area = Rect.empty
    private var pane = ListPane()
    private var lines: [[Span]] = []

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        area = body
        lines = lines(shared, columns: body.columns - 2)
        pane.layOut(in: body.split(top: 2).rest, count: lines.count)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        layOut(in: area, shared)
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        .changed(if: pane.scroll(movement))
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard case .found = shared.stuckSearch else { return .ignored }
        shared.stuckSearch = .asked
        return .changed
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    /// Equal causes, as of the requests that wait for one answer, are told once, with their number.
    private static func grouped(_ causes: [StuckCause]) -> [(cause: StuckCause, count: Int)] {
        var groups: [(cause: StuckCause, count: Int)] = []
        for cause in causes {
            if let index = groups.firstIndex(where: { $0.cause.sentence == cause.sentence && $0.cause.site == cause.site }) {
                groups[index].count += 1
                let known = groups[index].cause.evidence
                groups[index].cause.evidence += cause.evidence.filter { !known.contains($0) }
            } else {
                groups.append((cause, 1))
            }
        }
        return groups
    }

    private func lines(_ shared: SharedState, columns: Int) -> [[Span]] {
        guard case .found(let causes, _) = shared.stuckSearch else { return [] }
        let groups = Self.grouped(causes)
        let others = groups.reduce(2) { $0 + $1.cause.evidence.count + 3 }
        // The source gets the room that the sentences leave.
        let margin = min(Self.mostSourceMargin, max(0, (area.rows - others) / max(1, groups.count) - 2) / 2)
        return groups.flatMap { cause, count in
            var lines = Self.sentence(of: cause, count: count, shared, columns: columns)
            lines += cause.evidence.map { [Span("    " + shared.sentence(PrintableText.text($0)), .dim)] }
            return lines + source(of: cause, margin: margin, shared) + [[]]
        }
    }

    private static func sentence(of cause: StuckCause, count: Int, _ shared: SharedState, columns: Int) -> [[Span]] {
        let number = count > 1 ? "\(CountText.text(count))x " : ""
        let lines = WrappedText.lines(number + shared.sentence(cause.sentence), columns: columns - 2)
        return lines.enumerated().map { line, text in
            let glyph = line == 0 ? "\(Character(shared.glyphs[.warning])) " : "  "
            return [Span(glyph, .warning), Span(text, .text, shared.hasColours ? [] : .bold)]
        }
    }

    private static let mostSourceMargin = 12

    private func source(of cause: StuckCause, margin: Int, _ shared: SharedState) -> [[Span]] {
        guard let site = cause.site, let excerpt = shared.excerpt(at: site, margin: margin) else { return [] }
        return [[]] + excerpt.rows(shared.glyphs).map { [Span("    ")] + $0 }
    }

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        let state =
            switch shared.stuckSearch {
            case .none, .asked, .underWay: "looking at its tasks, stacks and memory"
            case .found(let causes, let time): "\(CountText.text(causes.count, "cause")), seen from outside at \(ClockText.text(time))"
            }
        canvas.write([Span(" What is stuck", .title, .bold), Span("  \(state)", .dim)], at: area.origin, end: area.right - 1)
        pane.draw(on: &canvas) { row, rowArea, canvas in
            guard lines.indices.contains(row) else { return }
            canvas.write(lines[row], at: rowArea.origin.moved(columns: 1), end: rowArea.right - 1)
        }
    }
}
