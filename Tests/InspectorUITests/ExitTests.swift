import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// Tasks in a program that has ended.
@Suite struct ExitTests {
    /// A task that runs and one that waits for it.
    private static var open: (trace: TraceBuilder, runner: TaskID) {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        let runner = trace.root("write", on: disk)
        _ = trace.continuation("report", of: runner, on: disk)
        trace.enqueue(runner)
        trace.start(runner)
        trace.advance(milliseconds: 5)
        return (trace, runner)
    }

    @Test("No screen says that a task of an ended program is running", arguments: [80, 160])
    func runningAtExit(columns: Int) {
        let (trace, runner) = Self.open
        var session = Session(trace, columns: columns)
        #expect(session.lines.contains { $0.contains("▶ running  ") })
        session.send(.ended)
        session.frame()
        #expect(session.lines.contains { $0.contains("▶ at exit") })
        for name in [TasksScreen.name, GraphScreen.name, HopsScreen.name, TimelineScreen.name, FaultsScreen.name] {
            session.press(name.key)
            session.follow(runner)
            let lines = session.lines.filter { $0.contains("running") && !$0.contains("running at exit") }
            #expect(lines.isEmpty, "\(name.title): \(lines)")
        }
        session.press(TasksScreen.name.key, .enter)
        #expect(session.lines.contains { $0.contains("task 1, root  ▶ running at exit") })
    }

    /// A program whose asynchronous `main` ends it.
    private static var finished: (trace: TraceBuilder, main: TaskID) {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.reserveTask()
        let label = trace.label(code: trace.code("static App.main()"))
        trace.emit(TaskEvent(.created, task: task, executor: main, label: label, detail: TaskKind.main.rawValue))
        trace.start(task, .inline, on: main)
        trace.advance(milliseconds: 5)
        trace.mark("end")
        return (trace, task)
    }

    @Test("An asynchronous main that ended its program is ended on all screens, and no executor runs it", arguments: [80, 160])
    func endedMain(columns: Int) {
        let (trace, task) = Self.finished
        var session = Session(trace, columns: columns, rows: 40)
        #expect(session.lines.contains { $0.contains("▶ running") })
        session.send(.ended)
        session.frame()
        session.press(TasksScreen.name.key)
        #expect(session.lines.contains { $0.contains("● ended") })
        session.press(.character("o"), .character("o"))
        #expect(session.lines.contains { $0.contains("▾ ● ended  1 task") }, "\(session.lines)")
        for name in ScreenList.names {
            session.press(name.key)
            session.follow(task)
            // In Events, the glyph is that of the event.
            let runs = session.lines.filter { $0.contains("at exit") || $0.contains("▶ main") && name != EventsScreen.name }
            #expect(runs.isEmpty, "\(name.title): \(runs)")
        }
        session.press(ExecutorsScreen.name.key)
        #expect(session.lines.contains { $0.contains("main   idle") } && !session.lines.contains { $0.contains("main  for 5.0 ms") })
    }

    @Test("An asynchronous main that ended its program waits for nothing: w tells where its time went") func finishedMain() throws {
        let (trace, task) = Self.finished
        var session = Session(trace, columns: 120)
        session.send(.ended)
        session.frame()
        session.follow(task)
        session.press(.character("w"))
        let text = session.lines.joined(separator: " ")
        #expect(text.contains("Where the time of") && text.contains("5.0 ms"), "\(session.lines)")
        #expect(!text.contains("runs on main"), "\(session.lines)")
    }

    @Test("An asynchronous main whose thread blocked at the end did not end its program: it was open, and there is no tick")
    func blockedMain() {
        var (trace, task) = Self.finished
        trace.beginWait(for: .none, by: task, in: trace.label(code: trace.code("lockInTurn(_:)")))
        var session = Session(trace, columns: 120, rows: 40)
        session.send(.ended)
        session.frame()
        session.press(OverviewScreen.name.key)
        #expect(session.lines.contains { $0.contains("1 task was open at the end") }, "\(session.lines)")
        #expect(!session.lines.contains { $0.contains("✓ No rule") }, "\(session.lines)")
        session.press(TasksScreen.name.key)
        #expect(!session.lines.contains { $0.contains("● ended") }, "\(session.lines)")
    }

    @Test("At an earlier event the task runs") func runningBeforeTheExit() {
        var session = Session(Self.open.trace)
        session.send(.ended)
        session.press(.character(","))
        #expect(session.lines.contains { $0.contains("▶ running") || $0.contains("◔ queued") })
        #expect(!session.lines.contains { $0.contains("at exit") })
    }

    @Test("An ended task waits for nothing: the detail says what it followed") func endedTasksFollow() {
        var (trace, runner) = Self.open
        let next = TaskID(rawValue: runner.rawValue + 1)
        var session = Session(trace, columns: 80, rows: 40)
        session.follow(next)
        session.press(.enter)
        #expect(session.lines.contains { $0.contains("waits for    write") })
        trace.complete(runner)
        trace.endJob(runner)
        trace.start(next)
        trace.complete(next)
        session = Session(trace, columns: 80, rows: 40)
        session.follow(next)
        session.press(.enter)
        #expect(session.lines.contains { $0.contains("follows      write") })
        #expect(!session.lines.contains { $0.contains("waits for") })
    }

    @Test("A column that has nothing to show gives its room to the names") func emptyColumns() {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        let runner = trace.root("a name of more than thirty columns", on: disk)
        trace.enqueue(runner)
        trace.start(runner)
        var session = Session(trace, columns: 100)
        #expect(session.lines[2].contains("Waits for"))
        session.send(.ended)
        session.frame()
        #expect(!session.lines[2].contains("Waits for"))
        #expect(session.lines[3].contains("a name of more than thirty columns"))
    }
}
