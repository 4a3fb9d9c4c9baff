import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// One task's line in the task list.
struct TaskLine {
    let task: TaskView
    let model: Model

    private var words: TaskWords { TaskWords(model.store) }

    func draw(_ columns: [(column: TaskColumn, place: Range<Int>)], in rect: Rect, on canvas: inout Canvas) {
        for (column, place) in columns {
            let point = Point(column: rect.left + place.lowerBound, row: rect.top)
            switch column {
            case .mark: drawMark(at: point, on: &canvas)
            case .id:
                canvas.write(number: Int(clamping: task.id.rawValue), at: point, style: Style(.dim), limit: place.count, align: .right)
            case .state: drawState(at: point, limit: place.count, on: &canvas)
            case .name: canvas.write(words.name(of: task), at: point, style: nameStyle, limit: place.count)
            case .executor: drawExecutor(at: point, limit: place.count, on: &canvas)
            case .total: drawDuration(task.total(at: model.store.now), at: point, limit: place.count, on: &canvas)
            case .busy: drawDuration(task.startManner == nil ? nil : task.busy, at: point, limit: place.count, on: &canvas)
            case .queued: drawDuration(task.queued == nil ? nil : task.queuedTime, at: point, limit: place.count, on: &canvas)
            case .hops: drawHops(at: point, limit: place.count, on: &canvas)
            case .next: drawNext(at: point, limit: place.count, on: &canvas)
            case .site: canvas.write(site, at: point, style: Style(.dim), limit: place.count)
            }
        }
    }

    private var nameStyle: Style {
        task.isSkipped ? Style(.skipped) : Style(.text)
    }

    /// The file and the line; the module is the same for most, and long.
    private var site: String {
        let label = task.label
        guard !label.file.isEmpty else { return "" }
        let file = label.file.split(separator: "/").last.map(String.init) ?? label.file
        return PrintableText.text("\(file):\(label.line)")
    }

    private func drawMark(at point: Point, on canvas: inout Canvas) {
        switch TaskMark(task) {
        case .unobserved: canvas.put(.warning, at: point, style: Style(.warning))
        case .synthesised: canvas.write("?", at: point, style: Style(.warning))
        case nil: break
        }
    }

    private func drawState(at point: Point, limit: Int, on canvas: inout Canvas) {
        let mark = StateMark(task)
        canvas.put(mark.canvasGlyph, at: point, style: Style(mark.role))
        canvas.write(
            task.isHeld ? "held" : mark.word, at: point.moved(columns: 2), style: Style(task.isHeld ? .warning : mark.role),
            limit: limit - 2)
    }

    private func drawExecutor(at point: Point, limit: Int, on canvas: inout Canvas) {
        guard task.executor != .none else {
            canvas.put(.none, at: point, style: Style(.dim))
            return
        }
        let isMain = model.store.description(of: task.executor).kind == .main
        canvas.write(words.name(task.executor), at: point, style: Style(isMain ? .mainHop : .text), limit: limit)
    }

    private func drawDuration(_ nanoseconds: UInt64?, at point: Point, limit: Int, on canvas: inout Canvas) {
        let text = DurationText.text(nanoseconds, isASCII: model.glyphs.isASCII)
        canvas.write(text, at: point, style: Style(nanoseconds == nil ? .dim : .text), limit: limit, align: .right)
    }

    private func drawHops(at point: Point, limit: Int, on canvas: inout Canvas) {
        let count = task.hopCount
        if count > 0 {
            canvas.write(number: count, at: point, style: Style(.hop), limit: limit, align: .right)
        } else {
            canvas.put(.none, at: point.moved(columns: limit - 1), style: Style(.dim))
        }
    }

    private func drawNext(at point: Point, limit: Int, on canvas: inout Canvas) {
        guard let next = task.next(in: model.store) else { return }
        canvas.write(NextText.text(next, in: model), at: point, style: Style(.dim), limit: limit)
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
