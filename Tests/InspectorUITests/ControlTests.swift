import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceStore

@testable import InspectorUI

/// What the inspector asks of the program that it shows.
@Suite struct ControlTests {
    private func session() -> Session {
        var trace = TraceBuilder()
        let save = trace.root("save")
        _ = trace.continuation("report", of: save)
        var session = Session(trace)
        session.press(.down)
        return session
    }

    @Test func heldJobsAreToldAndLetGoAgain() {
        var session = session()
        session.press(.character("b"))
        #expect(session.effects == [.control(.hold(.all))])
        #expect(!session.lines[0].contains("held"))
        session.send(.answered(.hold(.all), .done("All executors are held.")))
        #expect(session.model.notice == "All executors are held.")
        session.press(.character("i"))
        #expect(session.effects == [.control(.step(.all))])
        #expect(session.lines[0].contains("held"))
        session.press(.character("b"))
        #expect(session.effects == [.control(.open(.all))])
        session.send(.answered(.open(.all), .done("All executors are open.")))
        session.press(.escape)
        #expect(!session.lines[0].contains("held"))
    }

    @Test func whatTheProgramDoesNotDoIsToldAndChangesNothing() {
        var session = session()
        for answer in [ControlAnswer.unsupported("It cannot."), .failed("It has ended."), .refused("You may not.")] {
            session.send(.answered(.hold(.all), answer))
            #expect(session.model.notice == answer.sentence)
            #expect(!session.lines[0].contains("held"))
        }
    }

    @Test func theSelectedTaskAndItsChainAreMeant() throws {
        var session = session()
        let selected = try #require(session.model.selection)
        let chain = TaskID(rawValue: 1)
        let controls: [(Character, Control)] = [
            ("x", .cancel(selected)), ("X", .fault(selected, message: "injected from the inspector")), ("I", .stepInto(chain: chain)),
            ("e", .runToFault), ("E", .runToMainHop),
        ]
        for (key, control) in controls {
            session.press(.character(key))
            #expect(session.effects == [.control(control)])
        }
    }

    @Test func withoutASelectionNothingIsAsked() {
        var session = Session()
        for key in ["x", "X", "I"] as [Character] {
            session.press(.character(key))
            #expect(session.effects.isEmpty)
            #expect(session.model.notice?.contains("Select a task") == true)
        }
    }

    @Test func whereThereIsNoWayBackEveryCommandIsAnsweredWithTheReason() {
        let controls = NoControls("A recording can only be looked at.")
        for control in [Control.hold(.all), .cancel(TaskID(rawValue: 1)), .ping] {
            #expect(controls.send(control) == .failed("A recording can only be looked at."))
        }
    }
}
