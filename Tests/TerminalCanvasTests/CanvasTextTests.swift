import Testing

@testable import TerminalCanvas

struct CanvasTextTests {
    static func origin(_ column: Int = 0, _ row: Int = 0) -> Point { Point(column: column, row: row) }

    @Test(arguments: [
        ("chain", 8, "chain", 5), ("chain", 5, "chain", 5), ("chain", 4, "cha…", 4), ("chain", 1, "…", 1), ("chain", 0, "", 0),
        ("chain", -2, "", 0),
        ("日本語", 6, "日本語", 6), ("日本語", 5, "日本…", 5), ("日本語", 4, "日 …", 4), ("日本語", 1, "…", 1), ("a日", 2, "a…", 2),
        ("e\u{301}a", 2, "e\u{301}a", 2), ("👨‍👩‍👧👍🏽", 4, "👨‍👩‍👧👍🏽", 4), ("👨‍👩‍👧👍🏽", 3, "👨‍👩‍👧…", 3), ("🇩🇪!", 3, "🇩🇪!", 3),
        ("ab\u{200B}", 2, "ab", 2), ("\u{301}x", 4, "x", 1), ("", 4, "", 0),
    ])
    func truncatedTextEndsWithAnEllipsis(text: String, limit: Int, expected: String, columns: Int) {
        var canvas = Canvas(size: Size(columns: 10, rows: 1))
        #expect(canvas.write(text, at: Self.origin(), limit: limit) == columns)
        #expect(canvas.lines() == [expected])
    }

    @Test("A text can have bold parts, whose marks take no column")
    func boldParts() {
        var canvas = Canvas(size: Size(columns: 20, rows: 1))
        #expect(canvas.write("`read` waits for `b`".withBoldNames, at: Self.origin()) == 16)
        #expect(canvas.lines() == ["read waits for b"])
        let bold = (0..<16).filter { canvas[Self.origin($0)].style.emphasis.contains(.bold) }
        #expect(bold == [0, 1, 2, 3, 15])
        #expect("a ` alone".withBoldNames == "a ` alone")
    }

    @Test("An ASCII terminal gets the replacements of glyphs, quotation marks and dashes in a text")
    func replacementsInText() {
        var canvas = Canvas(size: Size(columns: 24, rows: 1), glyphs: .ascii)
        canvas.write("“doesn’t” #9… a → b – c", at: Self.origin())
        #expect(canvas.lines() == ["\"doesn't\" #9~ a > b - c"])
    }

    @Test func anASCIITerminalGetsQuestionMarksAndTheSameLayout() {
        var canvas = Canvas(size: Size(columns: 12, rows: 2), glyphs: .ascii)
        #expect(canvas.write("é日e\u{301}🇩🇪x", at: Self.origin()) == 7)
        #expect(canvas.write("abcdef", at: Self.origin(0, 1), limit: 4) == 4)
        canvas.put(.bullet, at: Self.origin(6, 1))
        #expect(canvas.lines() == ["?????" + "?x", "abc~  *"])
    }

    @Test(arguments: [
        (Alignment.left, "ab", "ab....."), (.center, "ab", "..ab..."), (.right, "ab", ".....ab"), (.right, "日", ".....日"),
        (.right, "abcdefgh", "abcdef…"), (.center, "日本", ".日本.."),
    ])
    func textIsAligned(_ align: Alignment, text: String, expected: String) {
        var canvas = Canvas(size: Size(columns: 7, rows: 1))
        canvas.write(".......", at: Self.origin())
        canvas.write(text, at: Self.origin(), align: align)
        #expect(canvas.lines() == [expected])
    }

    @Test(
        arguments: [
            (0, false, "0"), (7, false, "7"), (-42, false, "-42"), (1204, true, "1,204"), (999, true, "999"),
            (1_000_000, true, "1,000,000"), (.max, true, "9,223,372,036,854,775,807"), (.min, true, "-9,223,372,036,854,775,808"),
        ] as [(Int, Bool, String)])
    func numbersAreWrittenInDecimal(_ number: Int, grouped: Bool, expected: String) {
        var canvas = Canvas(size: Size(columns: 30, rows: 1))
        #expect(canvas.write(number: number, grouped: grouped, at: Self.origin()) == expected.utf8.count)
        #expect(canvas.lines() == [expected])
    }

    @Test func numbersAlignAndTruncateLikeText() {
        var canvas = Canvas(size: Size(columns: 10, rows: 2))
        #expect(canvas.write(number: 42, at: Self.origin(), limit: 6, align: .right) == 2)
        #expect(canvas.write(number: 123_456, at: Self.origin(0, 1), limit: 4, align: .right) == 4)
        #expect(canvas.lines() == ["    42", "123…"])
    }

    @Test func everyKindOfTextIsDrawnTheSame() {
        var canvas = Canvas(size: Size(columns: 9, rows: 2))
        let text = "x saved →"
        canvas.write(text, at: Self.origin(0, 0))
        canvas.write(text.dropFirst(2), at: Self.origin(0, 1))
        #expect(canvas.lines() == ["x saved →", "saved →"])
    }

    @Test func nothingOutsideTheClipChanges() {
        var canvas = Canvas(size: Size(columns: 8, rows: 3))
        for row in 0..<3 { canvas.write("........", at: Self.origin(0, row)) }
        let returned = canvas.clipped(to: Rect(column: 2, row: 1, columns: 4, rows: 1)) { canvas in
            canvas.write("above", at: Self.origin(0, 0))
            canvas.write("below", at: Self.origin(0, 2))
            return canvas.write("abcdefghij", at: Self.origin(-1, 1), limit: 20)
        }
        #expect(returned == 10)
        #expect(canvas.lines() == ["........", "..defg..", "........"])
        #expect(canvas.clip == canvas.bounds)
    }

    @Test func aClipOnlyNarrows() {
        var canvas = Canvas(size: Size(columns: 6, rows: 1))
        canvas.clipped(to: Rect(column: 0, row: 0, columns: 3, rows: 1)) { outer in
            outer.clipped(to: Rect(column: 2, row: 0, columns: 3, rows: 1)) { _ = $0.write("abcdef", at: Self.origin(), limit: 9) }
        }
        #expect(canvas.lines() == ["  c"])
    }

    @Test func drawingFarOutsideIsNoError() {
        var canvas = Canvas(size: Size(columns: 4, rows: 2))
        for point in [Self.origin(-9, 0), Self.origin(9, 0), Self.origin(0, -1), Self.origin(0, 2)] {
            canvas.write("日本", at: point, limit: 4)
            canvas.write("abcd", at: point, limit: 4)
            canvas.put(.node, at: point)
        }
        #expect(canvas.lines() == ["", ""])
    }
}
