import TerminalCanvas
import Testing

@testable import InspectorUI

/// The output of a program becomes lines, whatever control sequences it contains.
@Suite struct PrintedTextTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var printed: String
        var lines: [String]
        var testDescription: String { printed.debugDescription }
    }

    static let cases = [
        Case(printed: "", lines: [""]),
        Case(printed: "one\ntwo", lines: ["one", "two"]),
        Case(printed: "one\r\ntwo\r\n", lines: ["one", "two", ""]),
        Case(printed: "10 %\r20 %\r100 %", lines: ["100 %"]),
        Case(printed: "long text\rnew", lines: ["newg text"]),
        Case(printed: "long text\r\u{1B}[Knew", lines: ["new"]),
        Case(printed: "long text\u{1B}[2K\rnew", lines: ["new"]),
        Case(printed: "abc\u{8}\u{8}X", lines: ["aXc"]),
        Case(printed: "\u{8}\u{8}a", lines: ["a"]),
        Case(printed: "a\tb\tc\n12345678\tx", lines: ["a       b       c", "12345678        x"]),
        Case(printed: "abcdef\u{1B}[3GX\u{1B}[2CY\u{1B}[4DZ", lines: ["abZdeY"]),
        Case(printed: "\u{1B}[1;31mred\u{1B}[0m \u{1B}[38;2;1;2;3mblue\u{1B}[m", lines: ["red blue"]),
        Case(printed: "\u{1B}]0;a title\u{7}text\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", lines: ["textlink"]),
        Case(printed: "\u{1B}(Bplain\u{1B}=\u{1B}[?25l\u{1B}[?2004hhidden\u{1B}[!p", lines: ["plainhidden"]),
        Case(printed: "a\u{0}b\u{7}c\u{7F}d\u{9B}e\u{202E}f", lines: ["abcdef"]),
        Case(printed: "日本語\rX", lines: ["X本語"]),
        Case(printed: "e\u{301}\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}!", lines: ["é\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}!"]),
    ]

    @Test(arguments: cases) func outputBecomesLines(each: Case) {
        var text = PrintedText()
        text.append(Array(each.printed.utf8), at: 1)
        #expect(text.lines.map(\.text) == each.lines)
    }

    @Test("Output gives the same lines, wherever its pieces end", arguments: cases) func itComesInPieces(each: Case) {
        var text = PrintedText()
        for byte in each.printed.utf8 { text.append([byte], at: 1) }
        #expect(text.lines.map(\.text) == each.lines)
    }

    @Test func invalidUnicodeIsReplaced() {
        var text = PrintedText()
        text.append([0x61, 0xFF, 0x62, 0xC3], at: 1)
        text.append([0x28, 0xE2, 0x82], at: 2)
        text.append([0xAC, 0x0A], at: 3)
        #expect(text.lines.map(\.text) == ["a\u{FFFD}b\u{FFFD}(€", ""])
    }

    @Test func aLineKnowsWhenItWasPrinted() {
        var text = PrintedText()
        text.append(Array("one\ntw".utf8), at: 10)
        text.append(Array("o\nthree\n".utf8), at: 20)
        #expect(text.lines.map(\.time) == [10, 20, 20, 20])
        text.forgetTimes()
        #expect(text.lines.allSatisfy { $0.time == 0 })
    }

    @Test func theKeptOutputIsBounded() {
        var text = PrintedText()
        for number in 0..<40 {
            text.append(Array((0..<1000).map { "line \(number * 1000 + $0)\n" }.joined().utf8), at: 1)
        }
        #expect(text.lines.count <= PrintedText.lineLimit)
        #expect(text.lines.count + text.droppedCount == 40_001)
        #expect(text.lines.dropLast().last?.text == "line 39999")
        #expect(text.lines.first?.text == "line \(text.droppedCount)")

        var endless = PrintedText()
        for _ in 0..<1100 { endless.append([UInt8](repeating: 0x78, count: PrintedText.longestLine), at: 1) }
        #expect(endless.lines.allSatisfy { $0.text.count <= PrintedText.longestLine })
        #expect(endless.lines.reduce(0) { $0 + $1.text.count } <= PrintedText.characterLimit)
        #expect(endless.droppedCount > 0)
        endless.append(Array("\u{1B}[9999Cfar".utf8), at: 1)
        #expect(endless.lines.allSatisfy { $0.text.count <= PrintedText.longestLine })
    }

    @Test("A character keeps as many of its marks as a canvas shows") func marks() {
        var text = PrintedText()
        text.append(Array("e\(String(repeating: "\u{301}", count: 10_000))!".utf8), at: 1)
        #expect(text.lines[0].text.unicodeScalars.count == ClusterTable.longest + 1)
        #expect(text.lines[0].text.last == "!")
    }
}
