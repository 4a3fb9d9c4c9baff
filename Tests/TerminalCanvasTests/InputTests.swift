import TerminalCanvas
import Testing

struct InputTests {
    @Test(
        arguments: [
            ("a", .character("a")), ("é", .character("é")), (" ", .character(" ")), ("日", .character("日")),
            ("\r", .enter), ("\n", .enter), ("\t", .tab), ("\u{1B}", .escape), ("\u{7F}", .backspace), ("\u{8}", .backspace),
            ("\u{1}", .control("a")), ("\u{3}", .control("c")), ("\u{1A}", .control("z")), ("\u{0}", .control(" ")),
            ("\u{1C}", .control("\\")),
        ] as [(Unicode.Scalar, Key)])
    func aReceivedCharacterIsItsKey(_ scalar: Unicode.Scalar, expected: Key) {
        #expect(Key(received: scalar) == expected)
    }

    @Test(
        arguments: [
            (0, false, .press(.left)), (0, true, .release(.left)), (1, false, .press(.middle)), (2, true, .release(.right)),
            (64, false, .wheelUp), (65, false, .wheelDown), (4, false, .press(.left)), (16 + 8, false, .press(.left)),
            (64 + 16, false, .wheelUp), (32, false, .drag), (32 + 4, false, .drag),
        ] as [(Int, Bool, Mouse.Action)])
    func aMouseReportIsItsAction(code: Int, isRelease: Bool, action: Mouse.Action) {
        let mouse = Mouse(code: code, column: 10, row: 3, isRelease: isRelease)
        #expect(mouse == Mouse(action, at: Point(column: 9, row: 2)))
    }

    @Test(arguments: [(33, 1, 1), (35, 1, 1), (3, 1, 1), (66, 1, 1), (128, 1, 1), (0, 0, 1), (0, 1, 0), (-1, 1, 1)])
    func otherMouseReportsAreIgnored(code: Int, column: Int, row: Int) {
        #expect(Mouse(code: code, column: column, row: row, isRelease: false) == nil)
    }
}
