import InspectorTestKit
import TerminalCanvas
import Testing

@testable import InspectorUI

/// The list that `hopscope` alone shows.
@Suite struct PickerTests {
    private static func entry(_ name: String, _ arguments: String..., sentence: String = "A sentence.") -> PickerContents.Entry {
        .init(name, facts: "facts of \(name)", sentence: sentence, arguments: arguments)
    }

    private static let server = entry("server", "attach", "4711")
    private static let demos = (1...30).map { entry("demo-\($0)", "demo", "demo-\($0)", sentence: "Scene \($0).") }

    private static func contents(_ processes: [PickerContents.Entry]) -> PickerContents {
        PickerContents([
            .init("Processes", emptyNote: "No process.", entries: processes), .init("Recordings", emptyNote: "No recording.", entries: []),
            .init("Demos", emptyNote: "", entries: demos),
        ])
    }

    private static func picker(_ processes: [PickerContents.Entry] = [server], columns: Int = 80, rows: Int = 24) -> Picker {
        var picker = Picker(size: Size(columns: columns, rows: rows), glyphs: .unicode)
        picker.take(contents(processes))
        return picker
    }

    private static func lines(_ picker: Picker) -> [String] {
        var canvas = Canvas(size: picker.size, glyphs: picker.glyphs)
        picker.draw(on: &canvas)
        return canvas.lines()
    }

    @Test func theFirstEntryIsSelectedAndEnterOpensIt() {
        var picker = Self.picker()
        #expect(picker.selected == Self.server)
        #expect(picker.press(.enter) == .open(arguments: ["attach", "4711"]))
        let lines = Self.lines(picker)
        #expect(lines.contains { $0.contains("server") && $0.contains("facts of server") })
        #expect(lines.contains { $0.contains("No recording.") } && lines.contains { $0.contains("A sentence.") })
        #expect(lines.contains { $0.contains("Enter runs hopscope attach 4711") })
    }

    @Test("A folded section has one row until Enter opens it; a filter finds its entries all the same")
    func folded() {
        var picker = Picker(size: Size(columns: 80, rows: 24), glyphs: .unicode)
        picker.take(PickerContents([.init("Guides", emptyNote: "", entries: Self.demos, isFolded: true)]))
        #expect(picker.rows.count == 2)
        #expect(Self.lines(picker).contains { $0.contains("30 demos") && $0.contains("Enter lists them") })
        for key in [Key.character("/"), .character("-"), .character("7")] { _ = picker.press(key) }
        #expect(picker.selected == Self.demos[6])
        _ = picker.press(.escape)
        #expect(picker.press(.enter) == nil)
        #expect(picker.selected == Self.demos[0] && picker.rows.count == 31)
        #expect(picker.press(.enter) == .open(arguments: ["demo", "demo-1"]))
    }

    @Test func theKeysMoveOverEntriesOnly() {
        var picker = Self.picker()
        _ = picker.press(.down)
        #expect(picker.selected == Self.demos[0])
        _ = picker.press(.end)
        #expect(picker.selected == Self.demos[29])
        _ = picker.press(.down)
        #expect(picker.notice == "There is nothing below.")
        _ = picker.press(.home)
        #expect(picker.selected == Self.server && picker.pane.top == 0)
        _ = picker.press(.tab)
        #expect(picker.selected == Self.demos[0])
        _ = picker.press(.tab)
        #expect(picker.selected == Self.server)
        #expect(picker.press(.character("q")) == .quit)
    }

    @Test func theSelectionStaysWithItsEntryWhileOthersCome() {
        var picker = Self.picker()
        for _ in 0..<4 { _ = picker.press(.down) }
        #expect(picker.selected == Self.demos[3])
        picker.take(Self.contents([Self.server, Self.entry("client", "attach", "4712")]))
        #expect(picker.selected == Self.demos[3])
        picker.take(Self.contents([]))
        #expect(Self.lines(picker).contains { $0.contains("No process.") })
        _ = picker.press(.home)
        #expect(picker.selected == Self.demos[0])
    }

    @Test func wordsNarrowTheList() {
        var picker = Self.picker()
        for key in "/2 scene".map({ Key.character($0) }) { _ = picker.press(key) }
        #expect(picker.selected == Self.demos[1])
        #expect(!Self.lines(picker).contains { $0.contains("Recordings") })
        #expect(picker.press(.enter) == .open(arguments: ["demo", "demo-2"]))
        _ = picker.press(.character("q"))
        #expect(picker.selected == nil && Self.lines(picker).contains { $0.contains("Nothing matches. Esc drops the filter.") })
        #expect(picker.press(.enter) == nil && picker.notice == "There is nothing here to open.")
        _ = picker.press(.escape)
        #expect(picker.selected == Self.server)
    }

    @Test("Every key does something or the picker says why not", arguments: [true, false])
    func everyKeyIsAnswered(isEmpty: Bool) {
        let keys: [Key] = [
            .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .tab, .backTab, .enter, .escape, .backspace, .function(1),
            .character("x"), .character("?"), .character("/"), .character("q"),
        ]
        for key in keys {
            var picker = Picker(size: Size(columns: 80, rows: 24), glyphs: .unicode)
            picker.take(isEmpty ? PickerContents([.init("Processes", emptyNote: "None.", entries: [])]) : Self.contents([Self.server]))
            let before = Self.lines(picker)
            let selection = picker.selected
            let outcome = picker.press(key)
            #expect(outcome != nil || Self.lines(picker) != before || picker.selected != selection, "\(key)")
        }
    }

    @Test func aClickSelectsAndASecondOpens() {
        var picker = Self.picker()
        let row = picker.rows.firstIndex { if case .entry(let entry, _) = $0 { entry == Self.demos[0] } else { false } } ?? 0
        let click = Mouse(.press(.left), at: Point(column: 5, row: 1 + row))
        #expect(picker.point(click) == nil && picker.selected == Self.demos[0])
        #expect(picker.point(click) == .open(arguments: ["demo", "demo-1"]))
        #expect(picker.point(Mouse(.press(.left), at: Point(column: 2, row: 23))) == .open(arguments: ["demo", "demo-1"]))
    }

    @Test(arguments: [(60, 16), (80, 24), (200, 50)]) func itFitsTheTerminal(columns: Int, rows: Int) {
        let picker = Self.picker(columns: columns, rows: rows)
        let lines = Self.lines(picker)
        #expect(lines.count == rows && lines[rows - 1].contains("Enter open") && lines[rows - 1].contains("q quit"))
        #expect(lines.contains { $0.contains("server") } && lines.contains { $0.contains("demo-1") })
    }

    @Test func theSessionLooksAgainAndEndsWithThePick() {
        let terminal = ScriptedTerminal(size: Size(columns: 80, rows: 24))
        var now: UInt64 = 0
        var looks = 0
        let session = PickerSession(terminal: terminal) {
            looks += 1
            return Self.contents(looks > 1 ? [Self.server] : [])
        } clock: {
            now
        }
        #expect(session.turn() == nil && looks == 1)
        #expect(session.turn() == nil && looks == 1)
        now += UInt64(PickerSession.lookMilliseconds) * 1_000_000
        #expect(session.turn() == nil && looks == 2)
        #expect(terminal.shown?.lines().contains { $0.contains("server") } == true)
        terminal.inputs = [.key(.home), .key(.enter)]
        #expect(session.turn() == nil)
        #expect(session.turn() == .open(arguments: ["attach", "4711"]))
        terminal.inputs = [.terminate(signal: 15)]
        #expect(session.turn() == .quit && session.endingSignal == 15)
    }

    @Test(arguments: 0...8) func itIsDrawnInVeryFewRows(rows: Int) {
        for columns in [0, 1, 2, 80] { #expect(Self.lines(Self.picker(columns: columns, rows: rows)).count == rows) }
    }

    @Test("A pasted text goes into the filter while the user types there, and nowhere else")
    func paste() {
        let terminal = ScriptedTerminal(
            size: Size(columns: 80, rows: 24), inputs: [.paste("nothing"), .key(.character("/")), .paste("2 sc\u{1B}ene\n"), .key(.enter)])
        let session = PickerSession(terminal: terminal) {
            Self.contents([Self.server])
        } clock: {
            0
        }
        for _ in 0..<3 { #expect(session.turn() == nil) }
        #expect(session.turn() == .open(arguments: ["demo", "demo-2"]))
    }
}
