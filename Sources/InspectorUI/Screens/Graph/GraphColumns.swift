import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The columns that the texts of rows of rails need.
struct GraphNeeds: Equatable {
    private(set) var name = 0
    /// The executor from which a job came, with the arrow.
    private(set) var from = 0
    private(set) var executor = 0
    private(set) var words = 0

    init() {}

    init(_ rows: [RailsRow], _ shared: SharedState) {
        for task in rows.lazy.compactMap({ shared.store.task($0.task) }) { widen(for: task, shared) }
    }

    /// Columns stay as wide as they have been, so that names do not move with every scrolled row.
    mutating func widen(for rows: [RailsRow], _ shared: SharedState) {
        let needs = GraphNeeds(rows, shared)
        name = max(name, needs.name)
        from = max(from, needs.from)
        executor = max(executor, needs.executor)
        words = max(words, needs.words)
    }

    private mutating func widen(for task: TaskView, _ shared: SharedState) {
        let texts = TaskWords(shared.store)
        name = max(name, CharacterWidth.of(texts.name(of: task)) + (task.continued == nil ? 0 : 2))
        let fate = FateText.spans(of: task, in: shared, columns: Self.mostWords)
        words = max(words, fate.reduce(0) { $0 + $1.width })
        guard task.executor != .none else { return }
        executor = max(executor, CharacterWidth.of(texts.name(task.executor)))
        if let hop = task.shownHop { from = max(from, CharacterWidth.of(texts.name(hop.from)) + 2) }
    }

    /// A longer text does not get more room.
    private static let mostWords = 160
}

/// The columns of a row of rails. Text columns count from the left edge of the list and move with the horizontal scroll.
struct GraphColumns {
    let rails: Range<Int>
    let name: Range<Int>
    /// The executor from which a job came. Empty if there is no room for it, or no job came from another.
    let from: Range<Int>
    let executor: Range<Int>
    let duration: Range<Int>
    let state: Range<Int>
    let words: Range<Int>

    /// The room for the glyph and the word of a state.
    private static let stateColumns = 11
    /// The room for `read the error, recovered`.
    private static let usualWords = 26
    /// The room for `waited 102.0 ms`.
    private static let fewWords = 16

    init(width: Int, lanes: Int, needs: GraphNeeds, pan: Int) {
        let isWide = width >= 100
        // On a terminal so narrow that states would be cut, rails and executors get less room.
        let isNarrow = width < 80
        let rails = min(max(3, lanes) * 2, isNarrow ? width / 4 : width / 3)
        let executor = isWide ? max(8, min(needs.executor, width / 8)) : isNarrow ? 9 : 11
        let from = isWide ? min(needs.from, max(10, width / 10)) : 0
        let beside = 1 + rails + 1 + from + executor + 1 + 8 + 2 + 4
        // The name takes at most `most` columns, and the room that the words leave. Scrolling sideways reveals words that do not fit.
        func nameColumns(of free: Int, most: Int) -> Int {
            free >= 18 + 12 ? max(18, min(needs.name + 1, max(most, free - needs.words))) : max(10, free + 2)
        }
        let room = width - beside
        let usual = room - Self.stateColumns
        let usualName = nameColumns(of: usual, most: min(usual / 2, usual - Self.usualWords))
        // Where names would be cut on a terminal that is not wide, a state is its glyph alone, and the words have less room.
        let isShort = !isWide && usualName < needs.name
        let widths = (from: from, executor: executor, duration: 8, state: isShort ? 1 : Self.stateColumns)
        let name = isShort ? nameColumns(of: room - 1, most: room - 1 - Self.fewWords) : usualName

        self.rails = 1..<1 + rails
        var start = 1 + rails + 1 - pan
        func take(_ columns: Int, gap: Int) -> Range<Int> {
            defer { start += columns + gap }
            return start..<start + columns
        }
        self.name = take(name, gap: widths.from > 0 ? 0 : 1)
        self.from = take(widths.from, gap: widths.from > 0 ? 1 : 0)
        self.executor = take(widths.executor, gap: 1)
        duration = take(widths.duration, gap: 2)
        state = take(widths.state, gap: 2)
        words = start..<max(start + (pan > 0 ? 80 : 0), width - 1)
    }

    /// The end of the name in a row with this text in the column `from`. A name has the room that the text leaves.
    func endOfName(before text: String?) -> Int {
        guard !from.isEmpty else { return name.upperBound }
        return text.map { max(name.upperBound, from.upperBound - CharacterWidth.of($0) - 1) } ?? from.upperBound
    }
}

extension TaskView {
    /// The last hop, if it came from another executor, and led to the task's executor: the task can have left that one since.
    var shownHop: Hop? { lastHop.flatMap { $0.from != .none && $0.from != $0.to && $0.to == executor ? $0 : nil } }
}
