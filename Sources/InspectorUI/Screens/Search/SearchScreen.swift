import TerminalCanvas
import TraceAnalysis

/// The line in which the user types a search. The list above it selects the next row that matches with each letter.
///
/// It keeps the text and the state of the search: see ``advance(in:_:)``.
struct SearchScreen: Layer {
    static let name = ScreenName("Search")
    static let modes = [
        KeyMode(
            "Search", typing: .text,
            [
                KeyRow(.enter, shown: "Enter", footer: "keep", help: "keep what is selected", .back),
                KeyRow(.down, shown: "↑↓", footer: "next match", help: "the next row that matches, or the one before", .move(.down)),
                KeyRow(.up, shown: "↑↓", .move(.up)),
                KeyRow(
                    .backspace, shown: "Backspace", footer: "erase", help: "erase a character",
                    command { screen, _ in screen.change(String(screen.text.dropLast())) }),
                .escape("leave", "leave the search"),
            ])
    ]
    static let facets = Facets<Self>(
        keysEverywhere: [.searches], opening: { _, _, _, _ in .push(SearchScreen()) }, extent: .line,
        type: { search, text, _ in search.change(search.text.appending(typed: text)) },
        follow: { search, below, _, shared in search.advance(in: &below, &shared) })

    /// A request of the user's that has not begun.
    enum Request: Hashable, Sendable {
        /// From the selected row on, that row included.
        case here
        case next, previous
    }

    /// An unfinished search through the rows.
    struct Progress {
        let words: SearchWords
        let start: Int
        let isForward: Bool
        var examined = 0
    }

    enum Outcome {
        case none
        case searching(percent: Int)
        case found(String)
        case nothing
        case problem(String)
    }

    private(set) var text = ""
    private(set) var line = Rect.empty
    var request: Request?
    var progress: Progress?
    var outcome = Outcome.none

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        line = body
    }

    func isSettled(_ shared: SharedState) -> Bool { progress == nil }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        guard !text.isEmpty else {
            shared.notice = "Type what to look for first."
            return .ignored
        }
        request = movement == .up ? .previous : .next
        return .changed
    }

    /// A click elsewhere leaves the search.
    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer { line.contains(point) ? .ignored : .close() }

    private mutating func change(_ text: String) {
        self.text = text
        (progress, outcome) = (nil, .none)
        request = text.isEmpty ? nil : .here
    }

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        canvas.fill(line, style: Style(.filter))
        let (words, isProblem) = said
        // The typed text keeps half of the line beside a long sentence.
        let end = max(line.left + line.columns / 2, line.right - words.count - 3)
        let column = canvas.write([Span(" /" + text, .filter, .bold)], at: line.origin, end: end)
        canvas.write(" ", at: Point(column: min(column, end), row: line.top), style: Style(.filter, .reversed))
        let origin = Point(column: max(column + 1, line.right - words.count - 1), row: line.top)
        canvas.write([Span(words, isProblem ? .warning : .filter)], at: origin, end: line.right)
    }

    private var said: (words: String, isProblem: Bool) {
        switch outcome {
        case .none: ("", false)
        case .searching(let percent): ("searching \(percent) %", false)
        case .found(let position): (position, false)
        case .nothing: ("no row has it", true)
        case .problem(let problem): (problem, true)
        }
    }
}

extension KeyRow {
    static let searches = KeyRow(
        .character("/"), shown: "/", footer: "search", help: "search the rows for words; in Graph and Timeline the tasks, by a query",
        .overlay(SearchScreen.name))
}
