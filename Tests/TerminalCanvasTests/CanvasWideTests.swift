import Testing

@testable import TerminalCanvas

struct CanvasWideTests {
    private static func canvas(_ text: String, columns: Int = 6) -> Canvas {
        var canvas = Canvas(size: Size(columns: columns, rows: 1))
        canvas.write(text, at: Point(column: 0, row: 0))
        return canvas
    }

    @Test(arguments: [
        (0, "x", "x 本語"), (1, "x", " x本語"), (1, "xy", " xy 語"), (1, "語", " 語 語"), (2, "é", "日é 語"), (5, "x", "日本 x"), (3, "xyz", "日 xyz"),
    ])
    func overwritingOneHalfBlanksTheOther(column: Int, text: String, expected: String) {
        var canvas = Self.canvas("日本語")
        canvas.write(text, at: Point(column: column, row: 0))
        #expect(canvas.lines() == [expected])
        expectWholeCharacters(canvas)
    }

    @Test func fillingOneHalfBlanksTheOther() {
        var canvas = Self.canvas("日本語")
        canvas.fill(Rect(column: 1, row: 0, columns: 2, rows: 1))
        #expect(canvas.lines() == ["    語"])
        canvas.horizontalLine(at: Point(column: 5, row: 0), columns: 9)
        #expect(canvas.lines() == ["     ─"])
        expectWholeCharacters(canvas)
    }

    @Test(arguments: [(0, "ab日本"), (1, " ab日"), (2, "  ab日"), (3, "   ab")])
    func aWideCharacterAtTheEdgeIsABlank(column: Int, expected: String) {
        var canvas = Canvas(size: Size(columns: 6, rows: 1))
        canvas.write("ab日本", at: Point(column: column, row: 0), limit: 9)
        #expect(canvas.lines() == [expected])
        expectWholeCharacters(canvas)
    }

    @Test func aWideCharacterHalfOutsideTheClipIsABlankInsideIt() {
        var canvas = Self.canvas("......")
        canvas.clipped(to: Rect(column: 1, row: 0, columns: 4, rows: 1)) { _ = $0.write("日本語", at: Point(column: 0, row: 0), limit: 9) }
        #expect(canvas.lines() == [". 本 ."])
        expectWholeCharacters(canvas)
    }

    @Test func restylingCoversAWholeWideCharacter() {
        var canvas = Self.canvas("日本a")
        canvas.restyle(Rect(column: 1, row: 0, columns: 2, rows: 1), .selected)
        #expect((0..<5).map { canvas[Point(column: $0, row: 0)].style.emphasis.contains(.selected) } == [false, false, true, true, false])
        canvas.restyle(canvas.bounds, .bold)
        #expect(canvas[Point(column: 3, row: 0)].style == Style(.text, [.bold, .selected]))
        #expect(canvas[Point(column: 0, row: 0)].style == Style(.text, .bold))
        #expect(canvas.lines() == ["日本a"])
    }

    @Test func clustersSurvive() {
        let canvas = Self.canvas("👨‍👩‍👧e\u{301}🇩🇪", columns: 8)
        #expect(Array(canvas.scalars(of: canvas[Point(column: 0, row: 0)])) == Array("👨‍👩‍👧".unicodeScalars))
        #expect(canvas[Point(column: 1, row: 0)].isContinuation)
        #expect(Array(canvas.scalars(of: canvas[Point(column: 2, row: 0)])) == ["e", "\u{301}"])
        #expect(canvas.scalar(of: canvas[Point(column: 2, row: 0)]) == nil)
        #expect(canvas.scalar(of: canvas[Point(column: 6, row: 0)]) == " ")
        #expect(canvas.scalars(of: canvas[Point(column: 4, row: 0)]).isEmpty)
    }

    @Test func clustersAreBounded() {
        var canvas = Canvas(size: Size(columns: 4, rows: 1))
        let origin = Point(column: 0, row: 0)
        canvas.write("a" + String(repeating: "\u{301}", count: 500), at: origin)
        #expect(canvas.scalars(of: canvas[origin]).count == ClusterTable.longest)
        for value in 0..<UInt32(ClusterTable.capacity) {
            canvas.write("\(Character(Unicode.Scalar(0x4E00 + value)!))\u{301}", at: origin)
        }
        #expect(Array(canvas.scalars(of: canvas[origin])) == [Unicode.Scalar(0x4E00 + UInt32(ClusterTable.capacity) - 1)!])
        canvas.clear()
        canvas.write("b\u{301}", at: origin)
        #expect(canvas.scalars(of: canvas[origin]).count == 2)
    }

    @Test func aCellIsEightBytes() {
        #expect(MemoryLayout<Cell>.stride == 8)
    }
}

/// Every right half follows a wide character of its style, and every wide character has its right half.
func expectWholeCharacters(_ canvas: Canvas, sourceLocation: SourceLocation = #_sourceLocation) {
    for row in 0..<canvas.size.rows {
        for column in 0..<canvas.size.columns {
            let cell = canvas[Point(column: column, row: row)]
            let isWide = CharacterWidth.of(cluster: canvas.scalars(of: cell)) == 2
            let next = column + 1 < canvas.size.columns ? canvas[Point(column: column + 1, row: row)] : nil
            #expect(isWide == (next?.isContinuation ?? false), sourceLocation: sourceLocation)
            if isWide { #expect(next?.style == cell.style, sourceLocation: sourceLocation) }
            if column == 0 { #expect(!cell.isContinuation, sourceLocation: sourceLocation) }
        }
    }
}
