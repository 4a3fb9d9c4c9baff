import TerminalCanvas
import Testing

struct CanvasAreasTests {
    @Test(arguments: [
        (GlyphSet.unicode, ["╭───╮", "│   │", "╰───╯"]),
        (.ascii, [".---.", "|   |", "`---'"]),
    ])
    func aFrameIsABox(_ glyphs: GlyphSet, expected: [String]) {
        var canvas = Canvas(size: Size(columns: 5, rows: 3), glyphs: glyphs)
        canvas.frame(canvas.bounds)
        #expect(canvas.lines() == expected)
        #expect(canvas[Point(column: 4, row: 2)].style == Style(.border))
    }

    @Test func anAreaTooSmallHasNoBox() {
        var canvas = Canvas(size: Size(columns: 5, rows: 1))
        canvas.frame(canvas.bounds)
        #expect(canvas.lines() == [""])
    }

    @Test func fillingAndRestylingKeepToTheClip() {
        var canvas = Canvas(size: Size(columns: 3, rows: 2))
        canvas.clipped(to: Rect(column: 1, row: 0, columns: 1, rows: 1)) { canvas in
            canvas.fill(canvas.bounds, style: Style(.selection))
            canvas.restyle(canvas.bounds, .bold)
        }
        #expect((0..<3).map { canvas[Point(column: $0, row: 0)].style } == [.text, Style(.selection, .bold), .text])
        #expect(canvas[Point(column: 1, row: 1)].style == .text)
    }

    @Test(arguments: [
        (0, "", ""), (1, "▏", "."), (500, "██", "##"), (540, "██▏", "##."), (999, "███▉", "###="), (1000, "████", "####"),
        (5000, "████", "####"),
    ])
    func barsShowEighths(value: Int, unicode: String, ascii: String) {
        for (glyphs, expected) in [(GlyphSet.unicode, unicode), (.ascii, ascii)] {
            var canvas = Canvas(size: Size(columns: 6, rows: 1), glyphs: glyphs)
            canvas.bar(value, of: 1000, at: Point(column: 0, row: 0), columns: 4)
            #expect(canvas.lines() == [expected])
        }
    }

    @Test func aSparklineEndsWithTheNewestValue() {
        var canvas = Canvas(size: Size(columns: 8, rows: 2))
        canvas.sparkline([9, 9, 1, 0, 4, 8], peak: 8, at: Point(column: 0, row: 0), columns: 4)
        canvas.sparkline([8], peak: 8, at: Point(column: 0, row: 1), columns: 4)
        #expect(canvas.lines() == ["▁ ▄█", "   █"])
    }

    @Test func clearingLeavesABlankCanvas() {
        var canvas = Canvas(size: Size(columns: 4, rows: 1))
        canvas.write("日e\u{301}", at: Point(column: 0, row: 0), style: Style(.fault))
        canvas.clear()
        #expect(canvas.changes(from: Canvas(size: canvas.size)) == [])
    }

    @Test func laneColoursRepeat() {
        #expect(Role.rail(0) == .rail0 && Role.rail(7) == .rail7 && Role.rail(8) == .rail0)
    }
}
