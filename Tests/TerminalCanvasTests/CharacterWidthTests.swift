import Testing

@testable import TerminalCanvas

struct CharacterWidthTests {
    @Test(
        arguments: [
            ("a", 1), ("~", 1), (" ", 1), ("\u{A0}", 1), ("é", 1), ("ß", 1), ("ж", 1), ("א", 1), ("ก", 1),
            ("日", 2), ("が", 2), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("、", 2), ("\u{3000}", 2), ("𠀀", 2), ("\u{2FFFD}", 2),
            ("·", 1), ("…", 1), ("→", 1), ("●", 1), ("█", 1), ("①", 1), ("α", 1),
            ("🙂", 2), ("🚀", 2), ("⌚", 2), ("⚠", 1), ("❤", 1), ("☺", 1), ("\u{1FAE9}", 2),
            ("\u{301}", 0), ("\u{20E3}", 0), ("\u{200B}", 0), ("\u{200D}", 0), ("\u{FE0F}", 0), ("\u{FEFF}", 0), ("\u{AD}", 0),
            ("\u{0}", 0), ("\t", 0), ("\n", 0), ("\u{1B}", 0), ("\u{7F}", 0), ("\u{85}", 0), ("\u{9B}", 0), ("\u{202E}", 0),
            ("\u{1160}", 0), ("\u{E0062}", 0), ("\u{E0100}", 0),
        ] as [(Unicode.Scalar, Int)])
    func aScalarHasItsWidth(_ scalar: Unicode.Scalar, width: Int) {
        #expect(CharacterWidth.of(scalar) == width)
    }

    @Test(arguments: [
        ("e\u{301}", 1), ("a\u{300}\u{316}\u{323}", 1), ("か\u{3099}", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇩🇪", 2), ("🇯🇵", 2), ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 2),
        ("❤\u{FE0F}", 2), ("⚠\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2), ("❤\u{FE0E}", 1), ("a\u{FE0F}", 1), ("日\u{FE00}", 2),
        ("क\u{94D}ष", 2), ("\r\n", 0),
    ])
    func aCharacterHasItsWidth(_ text: String, width: Int) {
        #expect(text.count == 1)
        #expect(CharacterWidth.of(text.first!) == width)
    }

    @Test(arguments: [("", 0), ("chain", 5), ("日本語 text", 11), ("a\tb\nc", 5), ("a\r\nb", 3), ("\u{1B}[31mred", 7), ("a👨‍👩‍👧b", 4)])
    func aTextHasItsWidth(_ text: String, width: Int) {
        #expect(CharacterWidth.of(text) == width)
    }

    @Test(arguments: [CharacterWidth.wide, CharacterWidth.zero])
    func tablesAscend(_ table: [UInt32]) {
        #expect(table.count.isMultiple(of: 2))
        for index in table.indices.dropFirst() {
            #expect(index.isMultiple(of: 2) ? table[index - 1] < table[index] : table[index - 1] <= table[index])
        }
    }

    @Test func everyMarkOfTheStandardLibraryHasNoWidth() {
        let marks = (UInt32(0x300)...0x10FFFF).compactMap(Unicode.Scalar.init).filter {
            let properties = $0.properties
            guard let age = properties.age, age.major <= 16 else { return false }
            return properties.generalCategory == .nonspacingMark || properties.generalCategory == .enclosingMark
        }
        #expect(marks.count > 1900)
        #expect(marks.filter { CharacterWidth.of($0) != 0 } == [])
    }

    @Test func everyEmojiPresentationOfTheStandardLibraryIsWide() {
        let emoji = (UInt32(0x300)...0x10FFFF).compactMap(Unicode.Scalar.init).filter {
            guard let age = $0.properties.age, age.major <= 16 else { return false }
            return $0.properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF).contains($0.value)
        }
        #expect(emoji.count > 1100)
        #expect(emoji.filter { CharacterWidth.of($0) != 2 } == [])
    }
}
