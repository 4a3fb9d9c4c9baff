import TerminalCanvas
import TraceAnalysis

/// The letters of tapes: what runs next, in the order of first appearance. Two tapes of one program share them.
struct TapeLetters {
    private var indices: [UInt32: Int] = [:]

    mutating func add(_ choice: ChoiceTape.Choice) {
        for candidate in choice.candidates where !candidate.isTime && candidate.strand != 0 && indices[candidate.strand] == nil {
            indices[candidate.strand] = indices.count
        }
    }

    /// A deviation has a capital letter.
    func letter(of candidate: ChoiceTape.Candidate, isDeviation: Bool = false) -> String {
        if candidate.isTime { return "~" }
        guard let index = indices[candidate.strand] else { return " " }
        guard index < 26 else { return isDeviation ? "#" : "+" }
        return String(UnicodeScalar(UInt8(ascii: isDeviation ? "A" : "a") + UInt8(index)))
    }

    func style(of candidate: ChoiceTape.Candidate, isDeviation: Bool) -> Style {
        isDeviation ? Style(.warning, [.bold, .underline]) : Style(.rail(indices[candidate.strand] ?? 0))
    }

    /// The place among all, for a list.
    func order(of candidate: ChoiceTape.Candidate) -> Int { candidate.isTime ? .max - 1 : indices[candidate.strand] ?? .max }
}

/// The choices of a row of cells, with a row for each task, block or thread: where it ran next, and where it could have.
struct TapeRoll {
    /// One for each row.
    private(set) var strands: [ChoiceTape.Candidate] = []

    init(_ choices: ArraySlice<ChoiceTape.Choice>, _ letters: TapeLetters) {
        var seen: Set<UInt32> = [0]
        for choice in choices {
            for candidate in choice.candidates where seen.insert(candidate.strand).inserted { strands.append(candidate) }
        }
        strands.sort { letters.order(of: $0) < letters.order(of: $1) }
    }
}

/// The areas of the tape's screen.
struct TapeAreas {
    /// The columns before the cells: names, and the number of a row's first choice.
    let margin: Int
    /// The number of cells in a row.
    let columns: Int
    let title: Rect
    /// One line for each row of cells, or two beside each other in time.
    let tape: Rect
    let tracks: Int
    /// The rows of what could run, for each track.
    let rolls: [Rect]
    let rule: Rect
    let headings: [Rect]
    /// What could run at the shown choice, for each track.
    let candidates: [Rect]
    let source: Rect

    /// The number of visible rows of cells.
    var rows: Int { max(1, tape.rows / tracks) }

    /// - Parameters:
    ///   - cells: the number of choices.
    ///   - strands: the number of rows of each track's roll.
    ///   - counts: the number of candidates of each track at the shown choice.
    init(_ body: Rect, cells: Int, strands: [Int], counts: [Int]) {
        tracks = max(1, strands.count)
        margin = max(16, min(34, body.columns * 3 / 10))
        columns = max(1, body.columns - margin - 2)
        let (title, rest) = body.split(top: body.rows >= 16 ? 2 : 1)
        self.title = title.row(0)
        // The list of what could run has its rows first.
        let least = 2 + min(counts.max() ?? 0, 4)
        let (tape, below) = rest.split(top: max(1, min((cells + columns - 1) / columns, (rest.rows - least) / (4 * tracks))) * tracks)
        self.tape = tape
        var left = below
        var rolls: [Rect] = []
        for (index, count) in strands.enumerated() {
            let share = max(0, left.rows - least) / (strands.count - index)
            // The second one has a title.
            let rows = min(count + (index > 0 ? 1 : 0), share)
            // A roll of one row says no more than the tape.
            let (roll, rest) = left.split(top: rows > 1 ? rows : 0)
            rolls.append(roll)
            left = rest
        }
        self.rolls = rolls
        let (rule, details) = left.split(top: 1)
        self.rule = rule
        let (heading, list) = details.split(top: 1)
        let (candidates, source) = list.split(top: max(2, min((counts.max() ?? 0), max(4, list.rows * 2 / 3))))
        self.source = source
        headings = Self.halves(of: heading, tracks)
        self.candidates = Self.halves(of: candidates, tracks)
    }

    private static func halves(of rect: Rect, _ count: Int) -> [Rect] {
        guard count > 1 else { return [rect] }
        let (left, right) = rect.split(left: rect.columns / 2)
        return [left, right]
    }

    /// The cell at a point of the tape or of a roll below it, whose row of cells is `row`.
    func cell(at point: Point, top: Int, row: Int) -> Int? {
        let column = point.column - tape.left - margin
        guard (0..<columns).contains(column) else { return nil }
        if tape.contains(point) { return (top + (point.row - tape.top) / tracks) * columns + column }
        return rolls.contains { $0.contains(point) } ? row * columns + column : nil
    }

    func point(of cell: Int, in line: Rect) -> Point { Point(column: line.left + margin + cell % columns, row: line.top) }
}
