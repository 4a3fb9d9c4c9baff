import Testing

@testable import TerminalCanvas

struct GlyphTests {
    @Test(arguments: GlyphSet.allCases)
    func everyGlyphIsOneColumn(_ set: GlyphSet) {
        for glyph in Glyph.allCases {
            #expect(CharacterWidth.of(set[glyph]) == 1, "\(glyph)")
            #expect(set[glyph] != " ", "\(glyph)")
        }
    }

    @Test func theASCIISetIsPrintableASCII() {
        for glyph in Glyph.allCases {
            #expect((0x21...0x7E).contains(GlyphSet.ascii[glyph].value), "\(glyph)")
        }
    }

    @Test(arguments: GlyphSet.allCases)
    func sparksGrow(_ set: GlyphSet) {
        #expect(Set((1...8).map { set[Glyph.spark(eighths: $0)] }).count == 8)
        #expect(set[Glyph.bar(eighths: 1)] != set[Glyph.bar(eighths: 8)])
    }

    @Test(arguments: [(0, 10, 0), (-5, 10, 0), (1, 1000, 1), (5, 10, 4), (999, 1000, 7), (10, 10, 8), (20, 10, 8), (0, 0, 0), (3, 0, 8)])
    func onlyZeroHasLevelZeroAndOnlyAFullValueTheHighest(value: Int, total: Int, expected: Int) {
        #expect(Glyph.levels(value, of: total, steps: 8) == expected)
    }
}
