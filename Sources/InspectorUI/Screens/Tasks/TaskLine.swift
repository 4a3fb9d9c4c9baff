import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// One task's line in the task list.
struct TaskLine {
    let task: TaskView
    let model: Model

    var words: TaskWords { TaskWords(model.store) }
    var store: TraceStore { model.store }
    var next: String? { task.next(in: store).map { NextText.text($0, in: model) } }

    /// The file and the line; nearly all tasks share the module.
    var site: String {
        let label = task.label
        guard !label.file.isEmpty else { return "" }
        let file = label.file.split(separator: "/").last.map(String.init) ?? label.file
        return PrintableText.text("\(file):\(label.line)")
    }

    func draw(_ columns: [(column: TaskColumn, place: Range<Int>)], in rect: Rect, on canvas: inout Canvas) {
        for (column, place) in columns {
            let point = Point(column: rect.left + place.lowerBound, row: rect.top)
            column.row.draw(self, TaskCell(point: point, columns: place.count, alignment: column.row.alignment), &canvas)
        }
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

    func write(_ number: Int, _ style: Style, on canvas: inout Canvas) {
        canvas.write(number: number, at: point, style: style, limit: columns, align: alignment)
    }

    func write(duration: UInt64?, on canvas: inout Canvas) {
        write(DurationText.text(duration, isASCII: canvas.glyphs.isASCII), Style(duration == nil ? .dim : .text), on: &canvas)
    }
}

/// What comes next, in words: `→ report`, `awaits download`, `after saveRecord`, `after 85 of 101`.
enum NextText {
    static func text(_ next: NextStep, in model: Model) -> String {
        let name = name(of: next.other, in: model)
        return switch next.relation {
        case .leadsTo(let more): "\(Character(model.glyphs[.arrow])) \(name)\(more ? ", \(Character(model.glyphs[.ellipsis]))" : "")"
        case .awaits: "awaits \(name)"
        case .follows: "after \(name)"
        case .gathers(let open, let all): "after \(CountText.text(open)) of \(CountText.text(all))"
        }
    }

    static func name(of task: TaskID, in model: Model) -> String { TaskWords(model.store).name(of: task) }
}
