import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// A screen with a letter, in no other place of the inspector than the list of layers.
@Suite struct EleventhTabTests {
    private struct NotesScreen: Layer {
        static let name = ScreenName("Notes", shortcut: "M")
        static let modes = [KeyMode("Notes", [KeyRow(.enter, shown: "Enter", footer: "read", help: "read the note", .open)])]

        private var area = Rect.empty

        mutating func layOut(in body: Rect, _ shared: SharedState) { area = body }
        mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer { .ignored }
        func draw(_ shared: SharedState, on canvas: inout Canvas) { canvas.write("a single note", at: area.origin) }
    }

    private static let list = ScreenList(overlays: ScreenList.standard.overlays) {
        ScreenList.standard.makeScreens() + [NotesScreen()]
    }

    private func session(columns: Int = 400, rows: Int = 24) -> Session {
        Session(SampleTraces.kinesis, columns: columns, rows: rows, list: Self.list)
    }

    private func isShown(_ session: Session) -> Bool { session.lines.contains { $0.contains("a single note") } }

    @Test("It has a tab, on narrow terminals too, and a click shows it", arguments: [60, 80, 400])
    func tab(columns: Int) throws {
        var session = session(columns: columns)
        let tabs = session.lines[1]
        let title = try #require(tabs.ranges(of: "M N").first)
        session.click(tabs.distance(from: tabs.startIndex, to: title.lowerBound), 1)
        #expect(session.model.screen == NotesScreen.name)
        #expect(session.lines[1].contains("[M N"))
        #expect(isShown(session))
    }

    @Test("Its letter shows it, Tab goes past it, and a digit leaves it") func keys() {
        var session = session()
        session.press(.character("M"))
        #expect(isShown(session))
        session.press(.tab)
        #expect(session.model.screen == ScreenList.names[0])
        session.press(.backTab)
        #expect(isShown(session))
        session.press(.character("2"))
        #expect(session.model.screen == GraphScreen.name)
        #expect(!isShown(session))
    }

    @Test("The footer names its letter beside the digits, and its own keys on it") func footer() {
        var session = session()
        #expect(session.lines[23].contains("M Notes"))
        session.press(.character("M"))
        #expect(session.lines[23].contains("Enter read"))
    }

    @Test("The help explains its letter, and has a section for its own keys") func help() {
        var session = session(columns: 100, rows: 1000)
        session.press(.character("?"))
        let lines = session.lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.contains { $0.contains("M show Notes (or click its tab)") })
        #expect(lines.contains { $0.contains("Enter read the note") })
    }

    @Test("The palette offers it with its letter, and shows it") func palette() {
        var session = session()
        session.press(.character(":"))
        session.type("go to notes")
        let entry = session.model.palette?.entries.first
        #expect(entry?.text == "go to Notes")
        #expect(entry?.keys == "M")
        session.press(.enter)
        #expect(isShown(session))
    }

    @Test("The standard list does not have it") func standard() {
        var session = Session(SampleTraces.kinesis, columns: 400)
        session.press(.character("M"))
        #expect(session.model.screen == TasksScreen.name)
        #expect(!session.lines[1].contains("M Notes"))
    }
}
