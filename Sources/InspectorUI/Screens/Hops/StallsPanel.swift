import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws main's frame budget: the share of missed frames, and for each stall the blocking job and the waiting jobs.
struct StallsPanel {
    let stalls: [MainFrames.Stall]
    let shared: SharedState

    /// The largest number of victims examined per line.
    private static let victimLimit = 64
    private static let leastNameColumns = 12

    private var store: TraceStore { shared.store }

    func draw(title: Rect, pane: ListPane, on canvas: inout Canvas) {
        guard title.rows == 2 else { return }
        drawBudget(in: title, on: &canvas)
        let widest = pane.rows.map { CharacterWidth.of(shared.name(of: stalls[$0].task, closure: stalls[$0].label)) }.max() ?? 0
        let name = max(Self.leastNameColumns, min(28, pane.area.columns / 4, widest))
        pane.draw(on: &canvas) { row, rowArea, canvas in draw(stalls[row], name: name, in: rowArea, on: &canvas) }
    }

    private func drawBudget(in rect: Rect, on canvas: inout Canvas) {
        let main = MainFrames(store)
        canvas.horizontalLine(at: rect.origin, columns: rect.columns)
        canvas.write([Span(" main queue ", .mainHop, .bold)], at: rect.origin.moved(columns: 1), end: rect.right - 1)
        let line = rect.row(1)
        let (missed, frames) = (main.missedFrames, main.frames)
        guard missed > 0 else {
            let text =
                frames == 0
                ? " No job of main was longer than 16.7 ms."
                : " None of main's \(CountText.text(frames, "frame")) missed: no job of it was longer than 16.7 ms."
            canvas.write(text, at: line.origin, style: Style(.good), limit: line.columns)
            return
        }
        let share = frames == 0 ? 100 : Double(missed) / Double(frames) * 100
        let tenths = Int((min(share, 100) * 10).rounded())
        let spans = [
            Span(" \(tenths / 10).\(tenths % 10) % of its frames missed", .warning, .bold),
            Span(
                "  \(CountText.text(missed)) of \(CountText.text(frames)) at 16.7 ms, by \(CountText.text(main.stallCount, "stall"))",
                .dim),
        ]
        let column = canvas.write(spans, at: line.origin, end: line.right) + 2
        let bar = Rect(column: column, row: line.top, columns: max(0, min(30, line.right - column - 1)), rows: 1)
        canvas.bar(tenths, of: 1000, at: bar.origin, columns: bar.columns, style: Style(.warning))
    }

    /// - Parameter name: the columns of the blocking job's name.
    private func draw(_ stall: MainFrames.Stall, name: Int, in rect: Rect, on canvas: inout Canvas) {
        let victims = MainFrames(store).victims(of: stall, limit: Self.victimLimit)
        canvas.write(ClockText.precise(stall.since), at: rect.origin.moved(columns: 1), style: Style(.dim))
        let blocker = shared.name(of: stall.task, closure: stall.label)
        canvas.write(blocker.fittingName(name, shared.glyphs), at: rect.origin.moved(columns: 15), style: Style(.text, .bold), limit: name)
        let duration = (stall.isRunning && !shared.isOver ? "blocks " : "blocked ") + shared.duration(stall.duration)
        let column = rect.left + 15 + name + 1
        canvas.write(duration, at: Point(column: column, row: rect.top), style: Style(.warning), limit: 17, align: .right)
        var spans: [Span] = []
        if victims.isEmpty {
            spans.append(Span("nothing waited for it", .dim))
        } else {
            let count = victims.count == Self.victimLimit ? "\(victims.count) or more" : CountText.text(victims.count)
            let longest = shared.duration(victims[0].wait)
            let start = Span("\(count) waited: ", .text)
            let room = rect.right - 1 - column - 19 - start.width - longest.count - 1
            if room >= Self.leastNameColumns {
                // The longest wait is in sight, whatever the length of its task's name.
                let first = shared.name(of: victims[0].task).fittingName(room, shared.glyphs)
                let others = victims.prefix(8).dropFirst().map { ", \(shared.name(of: $0.task)) \(shared.duration($0.wait))" }
                let names = "\(first) \(longest)" + others.joined()
                spans += [start, Span(names.fittingWords(room + longest.count + 1, shared.glyphs), .queued)]
            } else {
                let more = [Span(", up to ", .text), Span(longest, .queued)]
                spans += [Span("\(count) waited", .text)] + (room >= -1 ? more : [])
            }
        }
        canvas.write(spans, at: Point(column: column + 19, row: rect.top), end: rect.right - 1)
    }
}
