import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// Commands from the inspector to the program that it shows.
@Suite struct ControlTests {
    private func session() -> Session {
        var trace = TraceBuilder()
        let save = trace.root("save")
        _ = trace.continuation("report", of: save)
        var session = Session(trace)
        session.press(.down)
        return session
    }

    @Test func heldJobsAreShownAndReleased() {
        var session = session()
        session.press(.character("b"))
        #expect(session.effects == [.control(.hold(.all))])
        #expect(!session.lines[0].contains("held"))
        session.send(.answered(.hold(.all), .done("All executors are held.")))
        #expect(session.model.shared.notice == "All executors are held.")
        session.press(.character("i"))
        #expect(session.effects == [.control(.step(.all))])
        #expect(session.lines[0].contains("held"))
        session.press(.character("b"))
        #expect(session.effects == [.control(.open(.all))])
        session.send(.answered(.open(.all), .done("All executors are open.")))
        session.press(.escape)
        #expect(!session.lines[0].contains("held"))
    }

    @Test func theFooterOffersTheKeysForHeldJobs() {
        var session = session()
        #expect(!session.lines[23].contains("i I"))
        session.send(.answered(.hold(.all), .done("All executors are held.")))
        #expect(session.lines[23].contains("All executors are held.   i I step"))
        session.press(.escape)
        #expect(session.lines[23].hasPrefix(" i I step  b resume  e E to fault/main  B to…  x X cancel/fail  ? help"))
        session.send(.ended)
        #expect(!session.lines[23].contains("i I step"))
    }

    /// Another inspector, or the program itself, holds the jobs.
    @Test func jobsThatTheTraceShowsAsHeldCanBeReleased() throws {
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        let save = trace.root("save", on: net)
        trace.enqueue(save)
        trace.emit(TaskEvent(.held, task: save, executor: net))
        var session = Session(trace)
        #expect(session.lines[0].contains("held"))
        #expect(session.lines.contains { $0.contains("held") && $0.contains("save") })
        session.press(.character("3"))
        #expect(session.lines.contains { $0.contains("net") && $0.contains("gate holds 1") })
        session.press(.character("b"))
        #expect(session.effects == [.control(.open(.all))])
        session.press(.down, .character("o"))
        #expect(session.effects == [.control(.open(.executor(net)))])
    }

    @Test func oneExecutorIsHeldAndReleased() {
        var session = session()
        session.press(.character("3"), .character("o"))
        #expect(session.effects.isEmpty && session.model.shared.notice?.contains("Select an executor") == true)
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        _ = trace.root("save", on: net)
        session = Session(trace)
        session.press(.character("3"), .down, .character("o"))
        #expect(session.effects == [.control(.hold(.executor(net)))])
        session.send(.answered(.hold(.executor(net)), .done("net is held.")))
        #expect(session.lines.contains { $0.contains("net") && $0.contains("gate held") })
        session.press(.character("o"))
        #expect(session.effects == [.control(.open(.executor(net)))])
    }

    @Test func aRunStopsAtAJobThatMatchesAQueryAndSelectsIt() throws {
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        let (save, report) = (trace.root("save", on: net), trace.root("report", on: net))
        var session = Session(trace)
        session.press(.character("B"))
        #expect(session.lines.contains { $0.contains(":run to ") } && session.lines.contains { $0.contains("Say which job") })
        session.type("total>1ms")
        #expect(session.lines.contains { $0.contains("cannot be asked for 'total'") })
        for _ in 0..<9 { session.press(.backspace) }
        session.type("name~rep")
        #expect(session.lines.contains { $0.contains("run to the next job that matches name~rep") })
        session.press(.enter)
        let condition = JobCondition([.init(.name, isPart: true, ["rep"])])
        #expect(session.effects == [.control(.runTo(condition))])
        session.send(.answered(.runTo(condition), .done("On its way.")))
        let seen = trace.events.count
        for task in [save, report] {
            trace.enqueue(task)
            trace.emit(TaskEvent(.held, task: task, executor: net))
        }
        trace.emit(TaskEvent(.stepped, task: save, executor: net))
        session.apply(trace.events[seen...])
        #expect(session.model.shared.selection == report)
        #expect(session.model.shared.notice == "`report` is held: it matches the query.")
    }

    @Test func aRefusedCommandIsReportedAndChangesNothing() {
        var session = session()
        for answer in [ControlAnswer.unsupported("It cannot."), .failed("It has ended."), .refused("You may not.")] {
            session.send(.answered(.hold(.all), answer))
            #expect(session.model.shared.notice == answer.sentence)
            #expect(!session.lines[0].contains("held"))
        }
    }

    @Test func commandsApplyToTheSelectedTaskAndItsChain() throws {
        var session = session()
        let selected = try #require(session.model.shared.selection)
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

    @Test("A task that has ended is neither cancelled nor failed, and the footer says why")
    func endedTask() {
        var trace = TraceBuilder()
        let task = trace.root("save")
        trace.complete(task)
        var session = Session(trace)
        session.follow(task)
        for key in ["x", "X"] as [Character] {
            session.press(.character(key))
            #expect(session.effects.isEmpty)
            #expect(session.model.shared.notice == "`save` has ended: it can neither be cancelled nor fail.")
        }
    }

    @Test func withoutASelectionNoCommandIsSent() {
        var session = Session()
        for key in ["x", "X", "I"] as [Character] {
            session.press(.character(key))
            #expect(session.effects.isEmpty)
            #expect(session.model.shared.notice?.contains("Select a task") == true)
        }
    }

    @Test func withoutControlEveryCommandIsAnsweredWithTheReason() {
        let controls = NoControls("A recording can only be looked at.")
        for control in [Control.hold(.all), .cancel(TaskID(rawValue: 1)), .ping] {
            #expect(controls.send(control) == .failed("A recording can only be looked at."))
        }
    }
}
