import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// `/` on the screens whose lists have no filter of their own.
@Suite struct SearchTests {
    @Test("Every screen and every page of text has a search") func everyListHasASearch() {
        // A question has no rows.
        let questions = LeaveScreen.modes.map(\.title)
        for mode in ScreenList.standard.keys.modes where mode.typing == .nothing && !questions.contains(mode.title) {
            #expect(ScreenList.standard.keys.row(for: .character("/"), in: mode) != nil, "\(mode.title)")
        }
    }

    @Test func itSelectsTheNextErrorWithEachLetter() {
        var session = Session(SampleTraces.faults)
        session.press(.character("5"), .character("/"))
        session.type("disk")
        #expect(session.selectedName() == "writePart 3")
        #expect(session.lines.contains { $0.contains("/disk") && $0.contains("row 3 of 5") })
        session.press(.down)
        #expect(session.selectedName() == "writePart 1")
        session.press(.down)
        #expect(session.selectedName() == "writePart 3", "it begins again at the top")
        session.press(.up)
        #expect(session.selectedName() == "writePart 1")
        session.type("x")
        #expect(session.lines.contains { $0.contains("no row has it") })
        session.press(.backspace, .enter)
        #expect(session.model.search == nil && session.selectedName() == "writePart 1")
    }

    @Test func onTheGraphItFindsTasksByAQuery() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("2"), .character("/"))
        session.type("state:fau")
        #expect(session.selectedName() == "saveRecord")
        #expect(session.lines.contains { $0.contains("1 of 2 tasks") })
        for _ in 0..<9 { session.press(.backspace) }
        session.type("bogus:1")
        #expect(session.lines.contains { $0.contains("/bogus:1") && $0.contains("There is no field 'bogus'") })
        session.press(.escape)
        #expect(session.model.search == nil)
    }

    @Test(arguments: [
        (OverviewScreen.name, "net"), (ExecutorsScreen.name, "upload 3"), (HopsScreen.name, "report"), (TimelineScreen.name, "report"),
    ])
    func itFindsARow(screen: ScreenName, text: String) {
        var session = Session(SampleTraces.kinesis)
        session.send(.ended)
        session.press(screen.key, .character("/"))
        session.type(text)
        #expect(session.lines.contains { $0.contains("/\(text)") && $0.contains(" of ") }, "\(session.lines)")
    }

    @Test func theHelpIsSearched() throws {
        var session = Session(SampleTraces.kinesis, rows: 16)
        session.press(.character("?"), .character("/"))
        session.type("matrix")
        let help = try #require(session.model.help)
        let row = try #require(help.pane.selected)
        #expect(help.lines[row].map(\.text).joined().contains("matrix") && help.pane.rows.contains(row))
    }

    @Test("A long list is searched in portions, and the end of it is found") func portions() {
        var trace = TraceBuilder()
        for number in 0..<9000 {
            let task = trace.root("task \(number)")
            trace.fault(task, type: "Error", message: "number \(number)")
        }
        var session = Session(trace)
        session.press(.character("5"), .character("/"))
        session.type("number 1799")
        #expect(session.selectedName() == "task 1799")
        #expect(session.lines.contains { $0.contains("row 7,201 of 9,000") })
    }

    @Test("An unfolded queue of very many jobs shows and searches its first ones") func longQueue() {
        var session = Session(Self.queued(70_000))
        session.press(.character("3"), .down, .enter, .end)
        #expect(session.lines.contains { $0.contains("4,464 more in the queue") }, "\(session.lines)")
        session.press(.character("/"))
        session.type("job 65535")
        #expect(session.lines.contains { $0.contains("job 65535") && $0.contains("65,536") }, "\(session.lines)")
    }

    private static func queued(_ count: Int) -> TraceBuilder {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        for number in 0..<count { trace.enqueue(trace.root("job \(number)", on: queue)) }
        return trace
    }

    @Test func aClickElsewhereLeavesTheSearch() {
        var session = Session(SampleTraces.faults)
        session.press(.character("5"), .character("/"))
        session.type("disk")
        session.click(20, 3)
        #expect(session.model.search == nil && session.selectedName() == "indexCache")
    }
}
