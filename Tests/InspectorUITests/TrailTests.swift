import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// Esc goes back the way one came, and the last line offers only keys that work.
@Suite struct TrailTests {
    private static func session(_ trace: TraceBuilder, columns: Int = 80) -> Session {
        Session(trace, columns: columns, screen: OverviewScreen.name)
    }

    private static func footer(_ session: Session) -> String { session.lines.last ?? "" }

    @Test("From Overview to a finding, to its task, and back with the cursor where it was")
    func back() {
        var session = Self.session(SampleTraces.warnings, columns: 160)
        session.press(.down, .down)
        let line = session.lines
        session.press(.enter)
        #expect(session.model.screen == WarningsScreen.name)
        #expect(Self.footer(session).contains("Esc to Overview"), "\(Self.footer(session))")
        #expect(session.lines[1].hasSuffix("Overview › Warnings"), "\(session.lines[1])")
        session.press(.enter, .enter)
        #expect(session.model.detail != nil)
        #expect(session.lines[1].hasSuffix("Overview › Warnings › Task detail"), "\(session.lines[1])")
        session.press(.escape)
        #expect(session.model.screen == WarningsScreen.name && session.model.detail == nil)
        session.press(.escape, .escape)
        #expect(session.model.screen == OverviewScreen.name)
        #expect(session.lines.prefix(20) == line.prefix(20))
        session.press(.escape)
        session.press(.escape)
        #expect(Self.footer(session).contains("There is nothing to go back from; q quits."))
    }

    @Test("Faults does not move the selection to the first error: it goes back to Overview")
    func error() {
        var trace = TraceBuilder()
        let charge = trace.root("charge")
        trace.start(charge)
        trace.fault(charge, type: "Declined")
        trace.release(charge)
        trace.advance(milliseconds: 1000)
        _ = trace.root("later")
        var session = Self.session(trace)
        session.press(.enter)
        #expect(session.model.screen == FaultsScreen.name)
        session.press(.character("n"), .character("n"))
        #expect(!Self.footer(session).contains("Esc to Overview"))
        session.press(.escape)
        #expect(session.model.screen == FaultsScreen.name, "out of the walk first")
        session.press(.escape)
        #expect(session.model.screen == OverviewScreen.name)
    }

    @Test("Of screens that keys have picked, Esc first drops the selection and then shows the one before")
    func picked() {
        var session = Self.session(SampleTraces.faults)
        session.press(.character("3"), .character("1"), .down)
        session.press(.escape)
        #expect(session.model.screen == TasksScreen.name && session.model.shared.selection == nil)
        session.press(.escape)
        #expect(session.model.screen == ExecutorsScreen.name)
        session.press(.escape)
        #expect(session.model.screen == OverviewScreen.name)
    }

    @Test("Enter is offered only where it opens something: a job but not its executor's idle line, hops but not an empty cell")
    func offeredEnter() {
        var trace = TraceBuilder()
        let (main, disk) = (trace.executor("main", .main), trace.executor("disk", .queue))
        let save = trace.root("save", on: disk)
        trace.hop(save, from: main)
        trace.run(save, after: 1)
        var session = Self.session(trace, columns: 120)
        session.press(.character("3"), .home)
        #expect(!Self.footer(session).contains("Enter"), "\(Self.footer(session))")
        session.press(.character("G"))
        #expect(Self.footer(session).contains("Enter open"), "\(session.lines)")
        session.press(.character("6"))
        #expect(Self.footer(session).contains("Enter list, open"), "\(Self.footer(session))")
    }

    @Test("From a wait to its task, to that task's wait, and back through all of them")
    func overlays() {
        var trace = TraceBuilder()
        let hung = trace.create(.unstructured, "hung")
        trace.start(hung)
        trace.suspend(hung, .continuation)
        let caller = trace.create(.unstructured, "caller")
        trace.start(caller)
        trace.suspend(caller, .task, awaiting: hung)
        var session = Session(trace)
        session.select(caller)
        session.press(.character("w"), .down, .enter, .character("w"))
        let titles = { session.model.layers.overlays.map { type(of: $0).name } }
        #expect(titles() == [WaitScreen.name, DetailScreen.name, WaitScreen.name])
        session.press(.escape)
        #expect(titles() == [WaitScreen.name, DetailScreen.name] && session.model.detail?.task == hung)
        session.press(.escape)
        #expect(session.lines.contains { $0.contains("Why `caller` waits") })
        session.press(.escape)
        #expect(titles().isEmpty)
    }

    @Test("A list without rows offers no key for them")
    func idle() {
        var trace = TraceBuilder()
        trace.run(trace.root("task"))
        var session = Session(trace)
        session.press(.character("7"))
        #expect(!Self.footer(session).contains("Enter") && !Self.footer(session).contains("suppress"), "\(Self.footer(session))")
        session.press(.character("5"))
        #expect(!Self.footer(session).contains("Enter") && !Self.footer(session).contains("n p"), "\(Self.footer(session))")
    }
}
