import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis

@testable import InspectorUI

@Suite struct WarningsTests {
    private static func session() -> Session {
        var session = Session(SampleTraces.warnings)
        session.press(.character("7"))
        return session
    }

    private static func rules(_ session: Session) -> [String] {
        session.model.warnings.groups.map(\.rule)
    }

    @Test("Forty of one kind are a line; Enter goes to its findings, and from there to the task")
    func walk() {
        var session = Self.session()
        #expect(Self.rules(session) == ["completed-twice", "main-stall", "blocking-wait", "fan-out"])
        session.press(.down, .down, .enter, .down)
        #expect(session.model.warnings.group?.count == 40)
        #expect(session.model.selection == TaskID(rawValue: 4))
        session.press(.enter)
        #expect(session.model.detail?.task == TaskID(rawValue: 4))
        session.press(.escape, .escape, .escape)
        #expect(session.model.warnings.selection == nil)
    }

    @Test("s leaves out a name, + and - change the threshold, u takes it back")
    func settings() {
        var session = Self.session()
        session.press(.character("s"))
        #expect(Self.rules(session) == ["main-stall", "blocking-wait", "fan-out"])
        session.press(.home, .character("+"), .character("+"))
        #expect(Self.rules(session) == ["blocking-wait", "fan-out"])
        session.press(.character("u"))
        #expect(Self.rules(session) == ["completed-twice", "main-stall", "blocking-wait", "fan-out"])
        #expect(session.model.warnings.engine.settings == WarningSettings())
    }

    @Test("The Tasks screen's filter asks the rules, completes with Tab, and tells what it cannot understand")
    func filter() {
        var session = Session(SampleTraces.warnings)
        session.press(.character("/"))
        session.type("warn:main")
        session.press(.tab)
        #expect(session.model.tasks.filterText == "warn:main-stall")
        #expect(session.model.tasks.list == [TaskID(rawValue: 1)])
        session.type(" total>10 x")
        #expect(session.model.tasks.problem?.description.contains("'10' is not a duration") == true)
        #expect(session.lines.contains { $0.contains("'10' is not a duration") })
    }
}
