import Testing
import TraceTestKit

@testable import Hopscope

@Suite struct TOMLTests {
    @Test("Every kind of value is read")
    func values() throws {
        let table = try TOMLParser.table(
            of: #"""
                # a comment
                text = "tab\t, quote \", \u00e9 and \U0001F600"
                literal = 'C:\path'
                whole = [1, -17, +5, 1_000, # and a comment
                    0]
                others = [1.5, -2e3, 0xFF, -inf]
                yes = true
                none = []
                site."a.b".c = false
                [table."x y"]
                key = 1
                [table]
                """#)
        #expect(table["text"]?.string == "tab\t, quote \", \u{e9} and \u{1F600}")
        #expect(table["literal"]?.string == #"C:\path"#)
        #expect(table["whole"]?.array == [1, -17, 5, 1000, 0].map { .integer($0) })
        #expect(table["others"]?.array == ["1.5", "-2e3", "0xFF", "-inf"].map { .number($0) })
        #expect(table["yes"]?.boolean == true)
        #expect(table["none"]?.array == [])
        #expect(table["site"]?.table == ["a.b": .table(["c": .boolean(false)])])
        #expect(table["table"]?.table?["x y"]?.table == ["key": .integer(1)])
    }

    @Test(
        "What TOML has and no settings file uses is refused by its name",
        arguments: [
            ("a = [[1]]", "a list in a list"), ("a = {}", "a table in braces"), ("[[a]]", "an array of tables"),
            ("a = \"\"\"b\"\"\"", "a text of several lines"), ("a = 1979-05-27 07:32:00", "a date"), ("a = 07:32:00", "a date"),
        ])
    func unsupported(text: String, what: String) {
        let problem = #expect(throws: TOMLProblem.self) { try TOMLParser.table(of: text) }
        #expect(problem?.description.hasSuffix(" has \(what), which no settings file uses.") == true, "\(problem?.description ?? "")")
    }

    @Test(
        "A text that is not TOML is refused with its line, its column and the reason",
        arguments: [
            ("[", 1, 2, "a key in a table header is missing at the end of the file"),
            ("[.a]", 1, 2, "a key in a table header was expected instead of '.'"),
            ("a = 1\n [#x]", 2, 3, "a key in a table header was expected instead of '#'"),
            ("a = [1,}", 1, 8, "a value was expected instead of '}'"),
            ("é = 1", 1, 1, "a key in a line was expected instead of a character that is not ASCII"),
            ("\"é\" 1", 1, 5, "'=' after a key was expected instead of '1'"),
            ("a = 'é\nb = 1", 1, 5, "the string that begins here has no end on its line"),
            ("a = 01", 1, 5, "'01' is no value"),
            ("a = 1\nb = 2\na = 3", 3, 1, "'a' is set a second time"),
            ("[a]\n[a]", 2, 1, "the table 'a' is defined a second time"),
            ("a = 1\u{0}", 1, 6, "the end of the line was expected instead of a control character"),
        ])
    func problems(text: String, line: Int, column: Int, reason: String) {
        let problem = #expect(throws: TOMLProblem.self) { try TOMLParser.table(of: text) }
        #expect(problem == TOMLProblem(line: line, column: column, reason: reason))
    }

    @Test(
        "Tables are defined once",
        arguments: [
            "a.b = 1\n[a]", "[a]\nb.c = 1\n[a.b]", "[a.b]\n[a]\nb.c = 1", "a = {}\na.b = 1", "a = {}\n[a.b]", "a = []\n[[a]]", "[[a]]\n[a]",
            "[a]\n[[a]]", "a = {b = 1, b.c = 2}",
        ])
    func redefinitions(text: String) {
        #expect(throws: TOMLProblem.self) { try TOMLParser.table(of: text) }
    }

    @Test("No text ends the program")
    func anything() {
        let words = [
            "[", "]", "{", "}", ".", "=", ",", "#", "\"", "'", "\"\"\"", "'''", "\\", "\\u00", "\n", "\r\n", "\r", " ", "\t", "\u{0}", "é",
            "a",
            "b", "0", "1", "0x", "_", "-", "+", "e", "1979-05-27", "T", ":", "07:32:00", "true", "inf", "\u{FEFF}",
        ]
        var numbers = SeededGenerator(seed: 12)
        var readable = 0
        for _ in 0..<100_000 {
            let text = (0..<Int.random(in: 1...12, using: &numbers)).map { _ in words.randomElement(using: &numbers)! }.joined()
            do {
                _ = try TOMLParser.table(of: text)
                readable += 1
            } catch {
                #expect(error.line > 0 && error.column > 0 && error.line <= text.utf8.count + 1)
            }
        }
        #expect(readable > 100)
    }
}
