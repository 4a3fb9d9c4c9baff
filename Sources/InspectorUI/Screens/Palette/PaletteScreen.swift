import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceTransport

/// The palette overlay: an input line, and below it the matching entries.
struct PaletteScreen: Layer {
    static let name = ScreenName("Command palette")
    static let modes = [
        KeyMode(
            "Command palette", typing: .text,
            [
                KeyRow(.enter, shown: "Enter", footer: "do it", help: "do what is selected", answer { palette, _ in palette.choose() }),
                KeyRow(.up, shown: "↑↓", footer: "select", help: "select a command", .move(.up)),
                KeyRow(.down, shown: "↑↓", .move(.down)),
                KeyRow(.pageUp, shown: "PgUp PgDn", help: "a page up or down", .move(.pageUp)),
                KeyRow(.pageDown, shown: "PgUp PgDn", .move(.pageDown)),
                KeyRow(.backspace, shown: "Backspace", footer: "erase", help: "erase a letter", answer { palette, _ in palette.erase() }),
                .escape("leave", "leave the palette"),
            ])
    ]
    static let facets = Facets<Self>(
        keysEverywhere: [
            KeyRow(.character(":"), shown: ":", footer: "commands", help: "all commands, themes and columns", .overlay(name))
        ],
        opening: { _, _, text, _ in .push(PaletteScreen(text)) }, extent: .box, type: { palette, text, _ in palette.type(text) },
        follow: { palette, _, below, shared in
            palette.findTasks(shared)
            palette.offer(entries(above: below, shared))
        })

    private(set) var text: String
    /// All entries, whatever the input.
    private var all: [PaletteEntry] = []
    /// Other words by an entry's text. The entries are made anew for each frame, and to search each text takes milliseconds.
    private var knownWords: [String: String] = [:]
    /// The entries that match the input, the best match first.
    private(set) var entries: [PaletteEntry] = []
    /// The tasks whose names contain the input.
    var tasks: (text: String, entries: [PaletteEntry]) = ("", [])
    private(set) var list = ListPane()
    private var frame = Rect.empty

    init(_ text: String) {
        self.text = text
    }

    /// Sets the entries. They depend on the state of the whole inspector.
    private mutating func offer(_ all: [PaletteEntry]) {
        self.all = all
        for index in all.indices where all[index].otherWords.isEmpty { self.all[index].otherWords = otherWords(for: all[index].text) }
        findEntries()
    }

    private mutating func otherWords(for text: String) -> String {
        if let words = knownWords[text] { return words }
        let words = Self.otherWords(for: text)
        knownWords[text] = words
        return words
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let widest = all.reduce(0) { max($0, CharacterWidth.of($1.text)) }
        let columns = min(body.columns - 2, max(72, widest + 18))
        frame = Rect(column: body.left + (body.columns - columns) / 2, row: body.top, columns: columns, rows: min(body.rows, 16))
        list.layOut(in: frame.inset(columns: 1, rows: 1).split(top: 1).rest, count: entries.count)
    }

    private mutating func findEntries() {
        entries = matches
        list.setCount(entries.count)
        list.highlight(entries.isEmpty ? nil : min(list.selected ?? 0, entries.count - 1))
    }

    private var matches: [PaletteEntry] {
        guard !text.isEmpty else { return all }
        if let query { return Self.runs(to: query) }
        return (all + tasks.entries).enumerated()
            .compactMap { index, entry in
                // A match with another word for the command counts as much as a match with its own text.
                let scores = ([entry.text] + entry.otherWords.split(separator: " ").map(String.init)).compactMap {
                    FuzzyMatch.score(text, in: $0)
                }
                return scores.max().map { (score: $0, index: index, entry: entry) }
            }
            .sorted { ($1.score, $0.index) < ($0.score, $1.index) }
            .map(\.entry)
    }

    // MARK: Running to a job

    /// The query for a job, if the input is one.
    private var query: Substring? { text.hasPrefix(KeyRow.runTo) ? text.dropFirst(KeyRow.runTo.count) : nil }

    /// The run to the job that the query describes. Empty while the query is invalid.
    private static func runs(to query: Substring) -> [PaletteEntry] {
        guard let condition = try? TaskQuery(String(query)).jobCondition() else { return [] }
        return [PaletteEntry(text: "run to the next job that matches \(query)", command: .shared { _ in [.control(.runTo(condition))] })]
    }

    /// The reason why no entry matches.
    private var problem: String {
        guard let query else { return "Nothing here has these letters." }
        do throws(QueryError) {
            _ = try TaskQuery(String(query)).jobCondition()
            return ""
        } catch {
            return error.description
        }
    }

    // MARK: Keys and mouse

    /// Does what the selected entry says.
    private func choose() -> Answer {
        guard let row = list.selected, entries.indices.contains(row) else { return .ignored }
        return .close(then: entries[row])
    }

    private mutating func type(_ text: String) {
        change(self.text.appending(typed: text))
    }

    /// Erases a character. Without one, closes the palette.
    private mutating func erase() -> Answer {
        guard !text.isEmpty else { return .close() }
        change(String(text.dropLast()))
        return .changed
    }

    private mutating func change(_ text: String) {
        self.text = text
        list.select(0)
        findEntries()
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer { .changed(if: list.move(movement)) }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) {
        list.move(rows < 0 ? .up : .down)
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        guard list.area.contains(point) else { return .close() }
        list.highlight(list.row(at: point))
        return choose()
    }

    // MARK: Drawing

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        canvas.fill(frame.inset(columns: -1))
        canvas.frame(frame)
        canvas.write(" Commands ", at: frame.origin.moved(columns: 2), style: Style(.title, .bold))
        let line = frame.inset(columns: 1, rows: 1).row(0)
        canvas.fill(line, style: Style(.filter))
        let column = canvas.write([Span(" :" + text, .filter, .bold)], at: line.origin, end: line.right - 1)
        canvas.write(" ", at: Point(column: column, row: line.top), style: Style(.filter, .reversed))
        list.draw(on: &canvas) { row, rowArea, canvas in
            canvas.write(entries[row].text, at: rowArea.origin.moved(columns: 1), limit: rowArea.columns - 14)
            canvas.write(
                entries[row].keys, at: rowArea.origin.moved(columns: rowArea.columns - 12), style: Style(.key), limit: 11, align: .right)
        }
        guard entries.isEmpty else { return }
        for (row, line) in WrappedText.lines(problem, columns: list.area.columns - 2).prefix(list.area.rows).enumerated() {
            canvas.write(line, at: list.area.origin.moved(columns: 1, rows: row), style: Style(.dim))
        }
    }
}
