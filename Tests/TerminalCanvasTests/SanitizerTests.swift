import TerminalCanvas
import Testing

struct SanitizerTests {
    @Test(arguments: [
        ("plain", "plain"),
        ("\u{1B}[2J\u{1B}]0;title\u{7}gone", "[2J]0;titlegone"),
        ("a\tb", "a b"), ("a\nb", "a b"), ("a\r\nb", "a b"), ("a\u{2028}b\u{2029}c\u{85}d", "a b c d"),
        ("\u{202E}evil\u{202C} \u{2066}iso\u{2069} \u{200E}\u{200F}\u{61C}", "evil iso "),
        ("\u{9B}31m\u{90}q\u{7F}", "31mq"),
        ("zero\u{200B}width\u{FEFF}\u{AD}", "zerowidth"),
        ("e\u{301} 👨‍👩‍👧 🇩🇪 ❤\u{FE0F} 日本", "e\u{301} 👨‍👩‍👧 🇩🇪 ❤\u{FE0F} 日本"),
        ("", ""),
    ])
    func printableTextHasNoControlCharacters(_ text: String, expected: String) {
        #expect(text.printable.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test func controlAndDirectionCharactersAreRemoved() {
        let hostile = (UInt32(0)...0xFFFF).compactMap(Unicode.Scalar.init).filter {
            $0.properties.generalCategory == .control || $0.properties.isBidiControl || $0.properties.isPatternWhitespace
        }
        #expect(hostile.count > 70)
        for scalar in hostile where scalar != " " {
            let result = "a\(Character(scalar))b".printable
            #expect(result == "ab" || result == "a b", "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func aCanvasSanitizesItsText() {
        var canvas = Canvas(size: Size(columns: 20, rows: 1))
        let columns = canvas.write("\u{1B}[31mred\tand\r\n\u{202E}日\u{7F}", at: Point(column: 0, row: 0))
        #expect(canvas.lines() == ["[31mred and 日"])
        #expect(columns == 14)
    }
}
