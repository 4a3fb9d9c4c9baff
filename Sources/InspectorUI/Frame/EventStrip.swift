import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The lines above the footer: the last event in words, or the events before, at and after the time cursor.
enum EventStrip {
    /// On a terminal with fewer rows, the strip has only the event at the cursor.
    private static let leastRows = 20

    static func rows(_ shared: SharedState) -> Int {
        isAtEvent(shared) && shared.size.rows >= leastRows ? 3 : 1
    }

    /// Whether the screens show the state at one event: an event of the past, or the last event of a program that has ended.
    private static func isAtEvent(_ shared: SharedState) -> Bool { shared.isAtMoment || shared.isAtEnd }

    static func draw(_ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect)
        let position = shared.history.position
        guard rect.rows > 1 else {
            let number = isAtEvent(shared) ? position : shared.history.latestEvents(1).first ?? position
            let event = rect.split(left: rect.columns - drawSilence(shared, in: rect, on: &canvas)).left
            return draw(number, isCurrent: isAtEvent(shared), shared, in: event, on: &canvas)
        }
        for (row, number) in (position - 1...position + 1).enumerated() {
            draw(number, isCurrent: number == position, shared, in: rect.row(row), on: &canvas)
        }
    }

    /// Offers a look at what is stuck, at the right of the last event, after some seconds without another one. Returns the columns that
    /// this takes.
    private static func drawSilence(_ shared: SharedState, in rect: Rect, on canvas: inout Canvas) -> Int {
        guard let silence = shared.silence else { return 0 }
        let seconds = "\(CountText.text(Int(silence / 1_000_000_000))) s"
        let texts = ["Nothing has happened for \(seconds). W looks at what is stuck.", "Nothing for \(seconds): W looks at what is stuck."]
        guard let text = texts.first(where: { $0.count <= rect.columns / 2 }) ?? texts.last else { return 0 }
        let columns = min(rect.columns, text.count + 2)
        canvas.write(text, at: Point(column: rect.right - columns + 1, row: rect.top), style: Style(.warning), limit: columns - 1)
        return columns
    }

    private static func draw(_ number: Int, isCurrent: Bool, _ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        if isCurrent { canvas.put(.folded, at: rect.origin, style: Style(.key, .bold)) }
        let width = CountText.text(shared.history.position + 1).count
        let start = rect.origin.moved(columns: 2)
        guard let event = shared.history.event(number: number)?.event else {
            if let text = text(instead: number, shared) { canvas.write(text, at: start, style: Style(.dim), limit: rect.columns - 3) }
            return
        }
        let digits = CountText.text(number)
        let gap = String(repeating: " ", count: max(0, width - digits.count))
        let words = shared.eventWords
        let role = isCurrent ? event.kind?.role ?? .text : .dim
        let name = words.subject(of: event)?.fittingName(max(20, rect.columns * 2 / 5), shared.glyphs)
        let subject = name.map { [Span($0, isCurrent ? .text : .dim, isCurrent ? .bold : []), Span(" ")] } ?? []
        let head = [Span("#\(digits)\(gap) \(ClockText.milliseconds(event.time))  ", isCurrent ? .text : .dim)]
        canvas.write(head + subject + [Span(words.predicate(of: event), role)], at: start, end: rect.right - 1)
    }

    /// The words for a line without an event.
    private static func text(instead number: Int, _ shared: SharedState) -> String? {
        let history = shared.history
        if history.eventCount == 0 { return number == 0 ? "No event yet." : nil }
        if number == 0 { return "Before the first event." }
        if number > history.eventCount {
            return history.recording != nil || shared.program.hasEnded ? "No event follows." : "No event follows yet."
        }
        return number > 0 ? "The event is not kept any more." : nil
    }
}

extension TraceHistory {
    /// The number of events among which ``latestEvents(_:)`` looks.
    private static let searchedEvents = 1024

    /// The numbers of the last events up to the cursor that say what the program did, the oldest first. The sizes of tasks' memory, of
    /// which each snapshot has many, are not among them, nor is the end of a child whose result its group took.
    func latestEvents(_ count: Int) -> [Int] {
        let numbers = (max(1, position - Self.searchedEvents)..<max(1, position + 1)).reversed().lazy
        return numbers.filter { self.event(number: $0).map { !$0.event.isBookkeeping } ?? true }.prefix(count).reversed()
    }
}

extension TaskEvent {
    /// Whether the event only keeps the inspector's own books.
    fileprivate var isBookkeeping: Bool {
        kind == .memory || kind == .released && detail == ReleaseManner.taken.rawValue
    }
}
