import Foundation
import Testing
import TextOutput
import TraceTestKit

@Suite struct TextOutputTests {
    @Test(
        "A number has at least the digits that it is given, and never fewer than it needs",
        arguments: [
            (0, 3, 10, "000"), (7, 3, 10, "007"), (999, 3, 10, "999"), (12_345, 3, 10, "12345"), (255, 4, 16, "00ff"), (5, 0, 10, "5"),
            (.max, 16, 16, "ffffffffffffffff"),
        ] as [(UInt64, Int, Int, String)])
    func digits(number: UInt64, digits: Int, radix: Int, text: String) {
        #expect(String(number, digits: digits, radix: radix) == text)
    }

    @Test("XML reads an escaped text back unchanged", arguments: HostileTrace.names + ["a & b < c > \"d\" 'e'", "&amp;", ""])
    func xml(name: String) throws {
        let printable = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0xFFFE }))
        let escaped = XMLText.text(printable)
        #expect(!escaped.contains("<") && !escaped.contains(">") && !escaped.contains("\""))
        // The ampersand comes last, so that nothing is read twice.
        let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        #expect(pairs.reduce(escaped) { $0.replacing($1.0, with: $1.1) } == printable)
        #expect(XMLText.text("\u{FFFE}\u{FFFF}") == "\u{FFFD}\u{FFFD}")
    }

    @Test("A list, an object and null are JSON, and thousandths are exact")
    func json() throws {
        var text = ""
        var line = JSONLine()
        line.begin("{")
        line.field("exact", thousandths: 12_007)
        line.object("none", orNull: nil as Int?) { $0.field("value", $1) }
        line.object("some", orNull: 3) { $0.field("value", $1) }
        line.list("list", [1, 2], to: &text) { $0.field("n", $1) }
        line.list("empty", [Int](), to: &text) { $0.field("n", $1) }
        line.end("}")
        line.flush(to: &text)
        #expect(
            text == """
                {"exact":12.007,"none":null,"some":{"value":3},
                "list":[
                {"n":1},
                {"n":2}
                ],
                "empty":[]}
                """)
        #expect(try JSONObject(text).list("list").map { $0.number("n") } == [1, 2])
    }
}
