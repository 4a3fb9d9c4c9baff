import Testing

@testable import TerminalCanvas

struct CanvasChangesTests {
    private static func canvas(_ lines: [String], columns: Int = 8) -> Canvas {
        var canvas = Canvas(size: Size(columns: columns, rows: lines.count))
        for (row, line) in lines.enumerated() { canvas.write(line, at: Point(column: 0, row: row)) }
        return canvas
    }

    @Test(arguments: [
        ("abcdef", "abcdef", []), ("abcdef", "abXdef", [2..<3]), ("abcdef", "XbcdeX", [0..<1, 5..<6]), ("abcdefgh", "XXXXXXXX", [0..<8]),
        ("日本", "日語", [2..<4]), ("日本", "xx本", [0..<2]), ("x日", "日x", [0..<3]), ("日x", "x日", [0..<3]), ("ab日", "a日b", [1..<4]),
        ("e\u{301}x", "e\u{300}x", [0..<1]), ("👨‍👩‍👧", "👨‍👩‍👦", [0..<2]),
    ])
    func runsCoverTheDifferingCells(before: String, after: String, expected: [Range<Int>]) {
        let runs = Self.canvas([after]).changes(from: Self.canvas([before]))
        #expect(runs.map(\.columns) == expected)
    }

    @Test func aRunNamesItsRow() {
        let runs = Self.canvas(["same", "new", "same"]).changes(from: Self.canvas(["same", "old", "same"]))
        #expect(runs == [Run(row: 1, columns: 0..<3)])
    }

    @Test("A row that has moved is marked where it has changed itself")
    func movedRow() {
        let before = Self.canvas(["one   1s", "two   1s", "three 1s", "four  1s"])
        var after = Self.canvas(["one   2s", "new   0s", "two   2s", "three 2s"])
        after.highlight(changesFrom: before, in: Rect(column: 0, row: 0, columns: 8, rows: 4), .changed)
        let marked = (0..<4).map { row in
            String((0..<8).filter { after.cells[row * 8 + $0].style.emphasis.contains(.changed) }.map { Character("\($0)") })
        }
        #expect(marked == ["6", "0126", "6", "6"])
    }

    @Test func aNewStyleIsAChange() {
        var after = Self.canvas(["abc日"])
        after.restyle(Rect(column: 2, row: 0, columns: 3, rows: 1), .bold)
        #expect(after.changes(from: Self.canvas(["abc日"])) == [Run(row: 0, columns: 2..<5)])
    }

    @Test func aCanvasOfAnotherSizeIsPaintedWhole() {
        let runs = Self.canvas(["ab", "cd"], columns: 5).changes(from: Self.canvas(["ab"], columns: 5))
        #expect(runs == [Run(row: 0, columns: 0..<5), Run(row: 1, columns: 0..<5)])
        #expect(Canvas(size: Size(columns: 0, rows: 3)).changes(from: Self.canvas(["ab"])) == [])
    }

    @Test func aClusterWithANewTableIndexIsNoChange() {
        var before = Canvas(size: Size(columns: 4, rows: 1))
        before.write("u\u{308}o\u{308}", at: Point(column: 0, row: 0))
        var after = Canvas(size: before.size)
        after.write("o\u{308}", at: Point(column: 1, row: 0))
        after.write("u\u{308}", at: Point(column: 0, row: 0))
        #expect(after.changes(from: before) == [])
        #expect(before.lines() == ["u\u{308}o\u{308}"])
    }

    /// A driver relies on this: painting the changes onto the old screen gives the new one, and paints no cell twice.
    @Test(arguments: 0..<UInt64(60))
    func paintingTheChangesGivesTheNewCanvas(seed: UInt64) {
        var random = SplitMix(state: seed)
        let size = Size(columns: Int.random(in: 1...24, using: &random), rows: Int.random(in: 1...6, using: &random))
        var before = Canvas(size: size)
        for _ in 0..<20 {
            var after = Bool.random(using: &random) ? before : Canvas(size: size)
            for _ in 0..<Int.random(in: 0...8, using: &random) { random.draw(on: &after) }
            expectWholeCharacters(after)

            var screen = PaintedScreen(before)
            for run in after.changes(from: before) { screen.paint(run, of: after) }
            #expect(screen == PaintedScreen(after))
            before = after
        }
    }
}

/// A model of a terminal that knows no canvas: a text and a style for each cell, and nil for a right half.
private struct PaintedScreen: Equatable {
    struct Content: Equatable {
        var scalars: [Unicode.Scalar]
        var style: Style
    }

    var contents: [[Content?]]
    var painted: [[Bool]]

    static func == (left: PaintedScreen, right: PaintedScreen) -> Bool { left.contents == right.contents }

    init(_ canvas: Canvas) {
        let blank = Content(scalars: [" "], style: .text)
        contents = Array(repeating: Array(repeating: blank, count: canvas.size.columns), count: canvas.size.rows)
        painted = contents.map { $0.map { _ in false } }
        for row in 0..<canvas.size.rows { paint(Run(row: row, columns: 0..<canvas.size.columns), of: canvas) }
        painted = contents.map { $0.map { _ in false } }
    }

    mutating func paint(_ run: Run, of canvas: Canvas) {
        let cells = canvas.cells(of: run)
        #expect(cells.first?.isContinuation == false, "A run begins inside a wide character.")
        for (column, cell) in zip(run.columns, cells) {
            #expect(!painted[run.row][column], "A cell is painted twice.")
            painted[run.row][column] = true
            contents[run.row][column] = cell.isContinuation ? nil : Content(scalars: Array(canvas.scalars(of: cell)), style: cell.style)
        }
        // Half of a wide character would show as garbage on a terminal.
        if run.columns.upperBound < canvas.size.columns { #expect(contents[run.row][run.columns.upperBound] != nil) }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func draw(on canvas: inout Canvas) {
        let texts = ["a", "chain", "日本語", "e\u{301}x", "👨‍👩‍👧 is", "🇩🇪日", "が\u{3099}", "queued → main"]
        let point = Point(
            column: Int.random(in: -3...canvas.size.columns, using: &self), row: Int.random(in: -1...canvas.size.rows, using: &self))
        let size = Size(columns: Int.random(in: 0...9, using: &self), rows: Int.random(in: 0...3, using: &self))
        let area = Rect(origin: point, size: size)
        let style = Style(Role.allCases.randomElement(using: &self)!)
        let text = texts.randomElement(using: &self)!
        let limit = Int.random(in: 0...12, using: &self)
        switch Int.random(in: 0...5, using: &self) {
        case 0: canvas.fill(area, style: style)
        case 1: canvas.restyle(area, .selected)
        case 2: canvas.write(number: Int(limit) * 1201, at: point, style: style, align: .right)
        case 3:
            canvas.clipped(to: area) { _ = $0.write(text, at: Point(column: point.column - 1, row: point.row), style: style, limit: limit) }
        default: canvas.write(text, at: point, style: style, limit: limit)
        }
    }
}
