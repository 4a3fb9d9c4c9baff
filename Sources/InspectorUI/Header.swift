import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The first line: which program, whether it runs, how much there is of it.
enum Header {
    private struct Part {
        var spans: [Span]
        /// A narrow screen drops the greatest first; parts of 0 stay.
        var dispensability: Int
        var isRight = false

        var width: Int { spans.reduce(0) { $0 + $1.width } }
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.header))
        var parts = parts(of: model)
        while width(of: parts) > rect.columns, let least = parts.max(by: { $0.dispensability < $1.dispensability }),
            least.dispensability > 0
        {
            parts.removeAll { $0.dispensability == least.dispensability }
        }
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

    private static func width(of parts: [Part]) -> Int {
        parts.reduce(0) { $0 + $1.width + 2 }
    }

    private static func parts(of model: Model) -> [Part] {
        let store = model.store
        let status = model.hasEnded ? "■ ended" : "\(Character(model.glyphs[.live])) live"
        let program = PrintableText.text(model.program).fitting(24, model.glyphs)
        let lost = store.lostCount
        var parts = [
            Part(spans: [Span("Hopscope", .header, .bold)], dispensability: 3),
            Part(spans: [Span(program, .header)], dispensability: 5),
            Part(spans: [Span(model.hasEnded && model.glyphs.isASCII ? "# ended" : status, .header, .bold)], dispensability: 0),
            Part(spans: [Span(CountText.text(store.taskCount) + (store.taskCount == 1 ? " task" : " tasks"), .header)], dispensability: 0),
        ]
        let counted: [(TaskState, Role, Int)] = [(.running, .running, 2), (.queued, .queued, 4), (.faulted, .faulted, 0)]
        for (state, role, dispensability) in counted {
            let count = store.count(of: state)
            parts.append(
                Part(spans: [Span("\(CountText.text(count)) \(state.name)", count > 0 ? role : .header)], dispensability: dispensability))
        }
        let warnings = model.warnings.count
        if warnings > 0 {
            let mark = Character(model.glyphs[.warning])
            parts.append(Part(spans: [Span("\(mark) \(CountText.text(warnings))", .warning)], dispensability: 1))
        }
        parts += [
            Part(spans: [Span("\(CountText.text(store.eventCount)) ev", .header)], dispensability: 7, isRight: true),
            Part(
                spans: [Span("\(CountText.text(lost)) lost", lost > 0 ? .warning : .header)], dispensability: lost > 0 ? 1 : 8,
                isRight: true),
            Part(spans: [Span(ClockText.text(store.now), .header)], dispensability: 6, isRight: true),
        ]
        return parts
    }
}
