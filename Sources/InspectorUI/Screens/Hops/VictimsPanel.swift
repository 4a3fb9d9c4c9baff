import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws the jobs that waited for main during one stall, with their waits.
struct VictimsPanel {
    let stall: MainFrames.Stall
    let shared: SharedState

    func draw(title: Rect, in rect: Rect, on canvas: inout Canvas) {
        let victims = MainFrames(shared.store).victims(of: stall)
        canvas.horizontalLine(at: title.origin, columns: title.columns)
        let blocker = shared.name(of: stall.task, closure: stall.label)
        let site = TaskWords(shared.store).site(of: stall.task, closure: stall.label).map { ", \($0)" } ?? ""
        let verb = stall.isRunning ? "has blocked" : "blocked"
        let spans = [
            Span(" \(blocker) ", .title, .bold), Span("\(verb) main for \(shared.duration(stall.duration))", .warning),
            Span(", \(CountText.text(stall.missedFrames, "frame")); \(CountText.text(victims.count, "job")) waited\(site) ", .dim),
        ]
        canvas.write(spans, at: title.origin.moved(columns: 1), end: title.right - 1)
        let name = max(16, min(40, rect.columns - 46))
        canvas.clipped(to: rect) { canvas in
            for (row, victim) in victims.prefix(rect.rows).enumerated() {
                let area = rect.row(row)
                let text = shared.name(of: victim.task)
                canvas.write(text, at: area.origin.moved(columns: 15), limit: name)
                canvas.write(
                    "waited \(shared.duration(victim.wait))", at: area.origin.moved(columns: 16 + name),
                    style: Style(.queued), limit: 16, align: .right)
                let share = Rect(column: area.left + 34 + name, row: area.top, columns: max(0, min(30, area.columns - 36 - name)), rows: 1)
                let thousandths = stall.duration == 0 ? 0 : Int(Double(victim.wait) / Double(stall.duration) * 1000)
                canvas.bar(thousandths, of: 1000, at: share.origin, columns: share.columns, style: Style(.queued))
            }
            if victims.count > rect.rows, rect.rows > 0 {
                let more = " and \(CountText.text(victims.count - rect.rows + 1)) more "
                canvas.fill(rect.row(rect.rows - 1))
                canvas.write(more, at: rect.row(rect.rows - 1).origin.moved(columns: 14), style: Style(.dim))
            }
        }
    }
}
