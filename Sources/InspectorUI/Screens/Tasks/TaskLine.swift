import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws one task's line in the task list.
struct TaskLine {
    let task: TaskView
    let store: TraceStore
    let glyphs: GlyphSet
    /// A sentence as the screen shows it.
    let sentence: (String) -> String
    /// Whether the program has ended by the shown moment.
    let isOver: Bool
    /// The lines of a tree that lead to the task; empty in a list.
    var lead = ""

    var words: TaskWords { TaskWords(store) }
    var next: String? { task.next(in: store).map { NextText.text($0, in: store, glyphs) } }

    /// The file and the line. The module is omitted, because nearly all tasks share it.
    var site: String {
        let label = task.label
        guard !label.file.isEmpty else { return "" }
        let file = label.file.split(separator: "/").last.map(String.init) ?? label.file
        return PrintableText.text("\(file):\(label.line)")
    }
}

/// The place of one task's text in one column.
struct TaskCell {
    let point: Point
    let columns: Int
    let alignment: Alignment

    func write(_ text: String, _ style: Style, on canvas: inout Canvas) {
        canvas.write(text, at: point, style: style, limit: columns, align: alignment)
    }

    /// - Parameter lead: the lines of a tree before the name. They leave room for a part of it.
    func write(name: String, after lead: String = "", _ style: Style, on canvas: inout Canvas) {
        let lead = String(lead.suffix(max(0, columns - Self.leastNameColumns)))
        canvas.write(lead, at: point, style: Style(.border), limit: columns)
        let room = columns - lead.count
        canvas.write(
            name.fittingName(room, canvas.glyphs), at: point.moved(columns: lead.count), style: style, limit: room, align: alignment)
    }

    private static let leastNameColumns = 8

    func write(_ number: Int, _ style: Style, on canvas: inout Canvas) {
        canvas.write(number: number, at: point, style: style, limit: columns, align: alignment)
    }

    /// - Parameter isLeast: whether it may have lasted longer.
    func write(duration: UInt64?, isLeast: Bool = false, on canvas: inout Canvas) {
        let mark = !isLeast || duration == nil ? "" : canvas.glyphs.isASCII ? ">" : "≥"
        let text = mark + DurationText.text(duration, isASCII: canvas.glyphs.isASCII)
        // Two numbers, as in `23 m 04 s`, can be too wide with the blanks before their units.
        write(
            CharacterWidth.of(text) <= columns ? text : text.replacing(/\ (?=[hms])/, with: ""),
            Style(duration == nil ? .dim : .text), on: &canvas)
    }
}
