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
                long = """
                first
                second \
                    goes on""""
                raw = '''one
                'two' '''
                numbers = [1, -17, +5, 1_000, 0xFF, 0o17, 0b101, # and a comment
                    1.5, -2e3, 6.02_2e+23, inf, -inf]
                yes = true
                dates = [1979-05-27, 07:32:00.5, 1979-05-27T07:32:00Z, 1979-05-27 07:32:00-08:00]
                inline = { a.b = 1, 'c d' = {} }
                site."a.b".c = false
                [table."x y"]
                key = 1
                [[list]]
                [list.inner]
                n = 1
                [[list]]
                n = 2
                """#)
        #expect(table["text"]?.string == "tab\t, quote \", \u{e9} and \u{1F600}")
        #expect(table["literal"]?.string == #"C:\path"#)
        #expect(table["long"]?.string == "first\nsecond goes on\"")
        #expect(table["raw"]?.string == "one\n'two' ")
        let numbers: [TOMLValue] =
            [1, -17, 5, 1000, 255, 15, 5].map { .integer($0) } + [1.5, -2e3, 6.022e23, .infinity, -.infinity].map { .float($0) }
        #expect(table["numbers"]?.array == numbers)
        #expect(table["yes"]?.boolean == true)
        #expect(table["dates"]?.array?.count == 4)
        #expect(table["inline"]?.table == ["a": .table(["b": .integer(1)]), "c d": .table([:])])
        #expect(table["site"]?.table == ["a.b": .table(["c": .boolean(false)])])
        #expect(table["table"]?.table?["x y"]?.table == ["key": .integer(1)])
        #expect(table["list"]?.array == [.table(["inner": .table(["n": .integer(1)])]), .table(["n": .integer(2)])])
    }

    @Test(
        "A text that is not TOML is refused with its line, its column and the reason",
        arguments: [
            ("[", 1, 2, "a key in a table header is missing at the end of the file"),
            ("[.a]", 1, 2, "a key in a table header was expected instead of '.'"),
            ("a = 1\n [#x]", 2, 3, "a key in a table header was expected instead of '#'"),
            ("[[.]]", 1, 3, "a key in a table header was expected instead of '.'"),
            ("a = [1,}", 1, 8, "a value was expected instead of '}'"),
            ("é = 1", 1, 1, "a key in a line was expected instead of a character that is not ASCII"),
            ("\"é\" 1", 1, 5, "'=' after a key was expected instead of '1'"),
            ("a = 'é\nb = 1", 1, 5, "the string that begins here has no end on its line"),
            ("a = 01", 1, 5, "'01' is no value"),
            ("a = 1\nb = 2\na = 3", 3, 1, "'a' is set a second time"),
            ("[a]\n[a]", 2, 1, "the table 'a' is defined a second time"),
            ("a = 1\u{0}", 1, 6, "the end of the line was expected instead of a control character"),
            (
                String(repeating: "a=[", count: 1) + String(repeating: "[", count: 64), 1, 67,
                "more than 64 arrays and tables lie within each other"
            ),
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
