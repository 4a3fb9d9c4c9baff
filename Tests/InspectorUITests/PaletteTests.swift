import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// The command palette, the themes and the clipboard.
@Suite struct PaletteTests {
    @Test(arguments: [
        ("go to f", "go to Faults"), ("thedark", "theme: dark"), ("hide where", "hide the column Where in Tasks"),
        ("sortcol", "sort by another column (or click it)"), ("bythread", "rows by thread, or by executor"),
    ]) func lettersFindACommand(letters: String, text: String) {
        var session = Session(SampleTraces.kinesis)
        if text.hasPrefix("rows") { session.press(.character("4")) }
        session.press(.character(":"))
        session.type(letters)
        #expect(session.model.palette?.entries.first?.text == text)
    }

    @Test func thePaletteOffersEveryCommandOfTheScreenOnce() {
        for screen in ScreenList.names {
            var session = Session(SampleTraces.kinesis)
            session.start()
            let names = session.model.names
            guard names.contains(screen) else { continue }
            session.press(screen.key, .character(":"))
            let texts = session.model.palette?.entries.map(\.text) ?? []
            #expect(Set(texts).count == texts.count)
            for row in ScreenList.standard.keys.rows(in: session.model[screen].mode) where !row.help.isEmpty {
                switch row.command {
                case .go(let name): #expect(texts.contains("go to \(name.title)") == names.contains(name))
                case .overlay(PaletteScreen.name, ""): #expect(!texts.contains(row.help))
                case _: #expect(texts.contains(row.help))
                }
            }
        }
    }

    @Test func thePaletteCarriesOutTheSelectedCommand() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character(":"))
        session.type("go to hops")
        session.press(.enter)
        #expect(session.model.palette == nil)
        #expect(session.model.screen == HopsScreen.name)
        session.press(.character(":"), .escape)
        #expect(session.model.palette == nil)
        session.press(.character(":"), .character("q"))
        #expect(session.effects.isEmpty, "letters are typed")
        session.press(.backspace, .backspace)
        #expect(session.model.palette == nil, "and the last one leaves")
    }

    @Test("It begins with things and actions, and ends with movements; a page is a page") func order() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character(":"))
        let texts = session.model.palette?.entries.map(\.text) ?? []
        let ranks = ["go to a task: type its name", "go to executor main", "record the trace to a file", "theme: dark", "go to Overview"]
            .map { texts.firstIndex(of: $0) ?? .max }
        #expect(ranks == ranks.sorted() && ranks.first == 0 && ranks.last != .max, "\(texts)")
        #expect(texts.last == "to the first or the last (or g)" || texts.last == "a page up or down", "\(texts.suffix(4))")
        session.press(.pageDown)
        #expect((session.model.palette?.list.selected ?? 0) > 5)
    }

    @Test("The first entry asks for the name of a task") func firstEntry() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character(":"), .enter)
        #expect(session.model.palette?.text == "go to task ")
        session.type("saveRec")
        session.press(.enter)
        #expect(session.model.screen == TasksScreen.name && session.selectedName() == "saveRecord")
    }

    @Test("A task is gone to by its name") func task() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("6"), .character(":"))
        session.type("saveRec")
        #expect(session.model.palette?.entries.first?.text.hasPrefix("go to task saveRecord (") == true)
        session.press(.enter)
        #expect(session.model.screen == TasksScreen.name && session.selectedName() == "saveRecord")
        session.press(.escape)
        #expect(session.model.screen == HopsScreen.name)
    }

    @Test("The tasks that a runtime made for itself are not offered, and count neither there nor in Tasks") func internals() {
        var trace = TraceBuilder()
        _ = trace.root("save")
        _ = trace.create(.internal, "")
        _ = trace.create(.unstructured, "")
        var session = Session(trace)
        session.press(.character(":"))
        session.type("go to task task")
        #expect(session.model.palette?.entries.filter { $0.text.contains("task 2") || $0.text.contains("task task") }.isEmpty == true)
        session.press(.escape, .character("1"), .character("/"))
        session.type("save")
        #expect(session.lines.contains { $0.contains("1 of 2 tasks") }, "\(session.lines)")
    }

    @Test("q asks what becomes of a program that runs: e ends it, Enter lets it go on; without one it leaves") func quits() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("q"))
        #expect(session.effects == [.quit])
        session.start()
        session.press(.character("q"))
        #expect(session.effects.isEmpty && session.lines.contains { $0.contains("The program still runs.") }, "\(session.lines)")
        session.press(.escape)
        #expect(session.effects.isEmpty && !session.lines.contains { $0.contains("The program still runs.") })
        session.press(.character("q"), .character("e"))
        #expect(session.effects == [.endProgram, .quit])
        session.press(.escape, .character("q"), .enter)
        #expect(session.effects == [.quit])
        session.send(.programEnded)
        session.press(.escape, .character("q"))
        #expect(session.effects == [.quit])
    }

    @Test func aSelectedThemeIsUsedAndSaved() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character(":"))
        session.type("theme: contrast")
        session.press(.enter)
        #expect(session.model.settings.theme == .contrast)
        #expect(session.effects == [.use(.contrast), .save(session.model.settings)])
        #expect(session.model.settings.theme == .contrast)
    }

    @Test func columnsCanBeHiddenAndShown() {
        var session = Session(SampleTraces.kinesis, columns: 120)
        #expect(session.lines[2].contains("Busy"))
        for _ in 0..<2 {
            session.press(.character(":"))
            session.type("column busy")
            session.press(.enter)
            #expect(session.lines[2].contains("Busy") == !session.model.settings.columns.hidden.contains(.busy))
        }
        #expect(session.model.settings.columns.hidden.isEmpty)
    }

    @Test func sortingIsSaved() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("s"))
        #expect(session.effects == [.save(session.model.settings)])
        #expect(session.model.settings.sort == session.model.settings.sort)
    }

    @Test func aTaskIsCopiedAsALineAndItsDetailAsShown() {
        var session = Session()
        session.press(.character("y"))
        #expect(session.effects.isEmpty && session.model.shared.notice != nil)
        session = Session(SampleTraces.unruly)
        session.press(.character("2"), .home, .character("y"))
        guard case .copy(let line) = session.effects.first else { return #expect(Bool(false), "nothing was copied") }
        #expect(line.hasPrefix("task 1  ") && !line.contains("\n"))
        session.press(.enter, .character("y"))
        guard case .copy(let detail) = session.effects.first else { return #expect(Bool(false), "nothing was copied") }
        #expect(detail.contains("Times") && detail.split(separator: "\n").count > 5)
        #expect(!detail.unicodeScalars.contains("\u{1B}"))
    }
}
