import TerminalCanvas
import Testing

@testable import InspectorUI

/// Texts that are longer than their room.
@Suite struct FittingTextTests {
    @Test(
        "A sentence is cut between words, unless that would leave half of the room empty",
        arguments: [
            ("read the error, recovered", 25, "read the error, recovered"), ("read the error, recovered", 17, "read the error…"),
            ("read the error, recovered", 15, "read the error…"), ("awaits returnsItself", 13, "awaits retur…"),
            ("awaits returns itself", 16, "awaits returns…"), ("日本 日本", 8, "日本…"), ("word", 0, ""), ("", 5, ""),
        ])
    func sentence(text: String, columns: Int, cut: String) {
        #expect(text.fittingWords(columns, .unicode) == cut)
        #expect(CharacterWidth.of(text.fittingWords(columns, .unicode)) <= columns)
    }

    @Test(
        "A name that is cut keeps the part that tells it apart",
        arguments: [
            ("closure #1 in closure #2 in static Server.run()", 60, "closure #1 in closure #2 in static Server.run()"),
            ("closure #1 in closure #2 in static Server.run()", 30, "…in static Server.run()"),
            ("closure #1 in closure #2 in static Server.run()", 16, "…Server.run()"),
            ("handle(_:) App.swift:25", 23, "handle(_:) App.swift:25"), ("handle(_:) App.swift:25", 21, "handle(_:):25"),
            ("handle(_:) App.swift:25", 12, "handle(_…:25"), ("static Server.run() Server.swift:25", 26, "static Server.run():25"),
            ("Shop.longFunctionName(_:) Shop.swift:25", 26, "…longFuncti… Shop.swift:25"),
            ("closure #1 in static Server.run():42", 17, "…Server.run():42"), ("closure #1 in static Server.run()", 6, "…run()"),
            ("ServiceGroupTests.testShutdown_whenNested()", 20, "…testShutdown_whenN…"),
            ("ServiceGroupTests.testShutdown", 20, "…testShutdown"), ("CancellationWaiter#12", 12, "Cancella…#12"),
            ("submitAllRecords:35", 16, "submitAllRec…:35"),
            ("main():1234", 4, "mai…"), ("a#1", 2, "a…"),
            ("com.apple.root.default-qos", 16, "…default-qos"), ("photos/2026/archive.txt", 10, "photos/20…"),
            ("saveRecord 12", 9, "saveR… 12"),
            ("#1 Task that is long", 8, "#1 Task…"), ("x.y", 1, "…"), ("", 3, ""), ("()", 1, "…"), (".", 0, ""),
        ])
    func name(text: String, columns: Int, cut: String) {
        #expect(text.fittingName(columns, .unicode) == cut)
        #expect(CharacterWidth.of(text.fittingName(columns, .unicode)) <= columns)
    }

    @Test(
        "A sentence that is cut keeps its place",
        arguments: [
            (51, 1, ["`request 7` has waited 7.8 s for a… Request.swift:5"]),
            (50, 2, ["`request 7` has waited 7.8 s for a continuation,", "Request.swift:5"]),
            (36, 2, ["`request 7` has waited 7.8 s for a", "continuation, Request.swift:5"]), (30, 1, ["`request 7` has waited 7.8 s…"]),
        ])
    func place(columns: Int, rows: Int, lines: [String]) {
        let text = "`request 7` has waited 7.8 s for a continuation, Request.swift:5"
        #expect(WrappedText.lines(text, keeping: "Request.swift:5", columns: columns, rows: rows, .unicode) == lines)
        #expect(lines.allSatisfy { CharacterWidth.of($0) <= columns })
    }

    @Test("Lines that are more than the room end with an ellipsis", arguments: [0, 1, 2, 3])
    func rows(_ rows: Int) {
        let lines = WrappedText.lines("one two three four five six", columns: 10, rows: rows, .unicode)
        #expect(lines == [[], ["one two…"], ["one two", "three…"], ["one two", "three four", "five six"]][rows])
    }

    @Test("A number and its unit stay in one line, and so do a few words in brackets, unless lines are short")
    func together() {
        #expect(WrappedText.lines("it ran for 12.0 ms, then for 3 s", columns: 14) == ["it ran for", "12.0 ms, then", "for 3 s"])
        #expect(
            WrappedText.lines("it took too long over one turn (over 100.0 ms)", columns: 36) == [
                "it took too long over one turn", "(over 100.0 ms)",
            ])
        #expect(WrappedText.lines("one (over 100.0 ms)", columns: 12) == ["one (over", "100.0 ms)"])
        #expect(WrappedText.lines("a (b c d e f g h) i", columns: 10) == ["a (b c d e", "f g h) i"])
        #expect(WrappedText.lines("5 tasks", columns: 5) == ["5", "tasks"])
    }

    @Test(
        "A text that fits is one line, with one blank between its words",
        arguments: [
            ("", ""), ("one", "one"), ("one two", "one two"), ("one  two", "one two"), (" one two", "one two"), ("one two ", "one two"),
            ("für 任务", "für 任务"),
        ])
    func fits(text: String, line: String) {
        for columns in [12, 20, 200] { #expect(WrappedText.lines(text, columns: columns) == [line]) }
    }
}
