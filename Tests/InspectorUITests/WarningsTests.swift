import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

@Suite struct WarningsTests {
    private static func session() -> Session {
        var session = Session(SampleTraces.warnings)
        session.press(.character("7"))
        return session
    }

    private static func rules(_ session: Session) -> [String] {
        session.model.shared.findings.groups.map(\.rule)
    }

    @Test("Where rows suffice for some sentences of rules, those from the top are whole")
    func wholeSentences() throws {
        let session = Session(SampleTraces.warnings, columns: 200, rows: 44, screen: WarningsScreen.name)
        let lines = session.lines.map { $0.prefix(81) }
        let first = try #require(lines.firstIndex { $0.contains(" wait-cycle ") })
        let cut = lines[first...].filter { $0.contains("… ") }
        #expect(lines.contains { $0.contains("cancelled-before-stored") && !$0.contains("…") }, "\(lines)")
        #expect(!cut.contains { $0.contains("never-completed") }, "\(lines)")
        #expect(!lines.suffix(5).contains { $0.contains("more rule") }, "\(lines)")
    }

    @Test("Forty findings of one kind share a line; Enter opens them, then an event, then the task; Esc goes back the same way")
    func open() {
        var session = Self.session()
        #expect(Self.rules(session) == ["completed-twice", "main-stall", "blocking-wait", "fan-out"])
        session.press(.down, .down, .enter, .down)
        #expect(session.model.warnings.group(session.model.shared)?.count == 40)
        #expect(session.model.shared.selection == TaskID(rawValue: 4))
        session.press(.enter)
        #expect(session.model.detail?.task == TaskID(rawValue: 4), "the finding's task")
        session.press(.escape, .character("n"))
        #expect(session.model.history.event(number: session.model.history.position)?.event.kind == .waitBegan)
        session.press(.enter)
        #expect(session.model.detail?.task == TaskID(rawValue: 2), "what it waited for")
        session.press(.escape, .escape)
        #expect(session.model.history.isAtLatest)
        #expect(session.model.warnings.finding == 1)
        session.press(.escape, .escape)
        #expect(!session.model.warnings.hasSelection)
    }

    @Test("Enter on a kind with one finding opens its task and says so, and the time stays")
    func single() {
        var session = Self.session()
        let group = session.model.warnings.group(session.model.shared)
        #expect(group?.count == 1)
        session.press(.enter)
        #expect(session.model.detail?.task == group?.first.task && session.model.history.isAtLatest)
        #expect(session.lines[23].contains("This is the finding's task. Esc goes back"), "\(session.lines)")
        session.press(.escape)
        #expect(session.model.detail == nil && session.model.screen == WarningsScreen.name)
    }

    @Test("n and p walk through the evidence of all findings of a kind; each step moves the cursor and selects the event's task")
    func evidence() throws {
        var session = Self.session()
        session.press(.down, .character("n"))
        func shown() -> (EventKind?, UInt64, Bool) {
            let event = session.model.history.event(number: session.model.history.position)?.event
            return (event?.kind, session.model.shared.selection?.rawValue ?? 0, session.model.history.isAtLatest)
        }
        #expect(shown() == (.started, 1, false))
        #expect(session.model.store.task(TaskID(rawValue: 1))?.state == .running)
        #expect(Self.rules(session).count == 4, "the list is that of where it began")
        session.press(.character("n"))
        #expect(shown() == (.jobEnded, 1, false))
        session.press(.character("n"))
        #expect(session.model.shared.notice == "That was the last event that proves it.")
        session.press(.character("p"))
        #expect(shown() == (.started, 1, false))
        session.press(.escape)
        #expect(shown().2)

        session.press(.down, .character("n"), .character("n"), .character("n"))
        #expect(session.model.warnings.finding == 1, "the second of forty")
        session.press(.character("p"))
        #expect(session.model.warnings.finding == 0)
        session.press(.character(","))
        #expect(session.model.shared.findings.walk == nil, "who steps otherwise has left the walk")
    }

    /// Two tasks that await one another.
    private static var ring: TraceBuilder {
        var trace = TraceBuilder()
        let tasks = [trace.create(.unstructured, "one"), trace.create(.unstructured, "other")]
        for (task, other) in zip(tasks, tasks.reversed()) {
            trace.start(task)
            trace.suspend(task, .task, awaiting: other)
        }
        return trace
    }

    @Test("A program that falls silent in a deadlock is warned of without another event")
    func silentDeadlock() {
        let trace = Self.ring
        var session = Session(trace)
        #expect(Self.rules(session).isEmpty)
        session.model.history.advance(to: trace.now + 50_000_000)
        for _ in 0..<2 { session.frame() }
        #expect(Self.rules(session).isEmpty, "records of another thread may still come")
        session.model.history.advance(to: trace.now + 1_000_000_000)
        for _ in 0..<2 { session.frame() }
        #expect(Self.rules(session) == ["wait-cycle"])
    }

    @Test("Enter on a deadlock goes to its task, and n to the events that prove it: nothing of them is lost")
    func keysOnADeadlock() {
        let trace = Self.ring
        for key in [Key.enter, .character("n")] {
            var session = Session(trace)
            session.model.history.advance(to: trace.now + 1_000_000_000)
            for _ in 0..<4 { session.frame() }
            session.press(.character("7"), key)
            #expect(Self.rules(session) == ["wait-cycle"])
            #expect(session.model.shared.notice?.contains("no longer has") != true, "\(session.model.shared.notice ?? "")")
            #expect(session.model.shared.selection != nil)
            #expect((session.model.detail != nil) == (key == .enter))
        }
    }

    @Test("After the inspector itself was stopped, overdue tasks are warned of only when their events had the time to arrive")
    func silenceOfAStoppedInspector() {
        let trace = Self.ring
        var session = Session(trace)
        session.frame()
        session.model.history.advance(to: trace.now + 60_000_000_000)
        session.pass(seconds: 60)
        session.send(.frame(at: session.now))
        #expect(Self.rules(session).isEmpty)
        session.frame()
        #expect(Self.rules(session) == ["wait-cycle"])
    }

    @Test("At an earlier event the screen and the header show the findings up to that event")
    func past() throws {
        var session = Self.session()
        let end = try #require(
            (1...session.model.history.eventCount).first { session.model.history.event(number: $0)?.event.kind == .jobEnded })
        session.send(.look(at: end - 1))
        session.frame()
        #expect(Self.rules(session) == ["main-stall"], "it has kept main busy")
        session.send(.look(at: 2))
        session.frame()
        #expect(Self.rules(session).isEmpty)
        #expect(session.lines.contains { $0.contains("No rule had found anything by this event.") })
        #expect(!session.lines[0].contains("⚠"))
        session.press(.end)
        #expect(Self.rules(session).count == 4)
    }

    @Test("The rules also reach an event that the store has evicted, one portion per frame")
    func longPast() throws {
        var trace = SampleTraces.warnings
        let pool = trace.executor("pool", .pool)
        for _ in 0..<80_000 { trace.run(trace.root("small", on: pool), after: 0, milliseconds: 0) }
        var session = Session(trace)
        session.press(.character("7"))
        let count = session.model.history.eventCount
        #expect(count > 300_000)
        session.send(.look(at: count - 10))
        session.pass(seconds: 1)
        session.send(.frame(at: session.now))
        #expect(session.model.shared.findings.list == nil)
        #expect(session.lines.contains { $0.contains("Looking at what had happened by this event:") })
        session.frame()
        #expect(Self.rules(session) == ["completed-twice", "main-stall", "blocking-wait", "fan-out"])
        #expect(session.model.shared.findings.list?.missedEvents == 0)
    }

    @Test("Saved settings apply from the first event on")
    func given() throws {
        var settings = WarningSettings()
        try settings.set("main-stall=1s")
        let history = TraceHistory()
        history.latest.entries = SampleTraces.warnings.entries
        history.apply(TraceBatch(events: SampleTraces.warnings.events, lanes: SampleTraces.warnings.lanes))
        var model = Model(
            history: history, program: "demo", size: Size(columns: 80, rows: 24), glyphs: .unicode, settings: settings)
        for message in [Message.traced, .key(.character("7")), .frame(at: 1)] { _ = update(&model, message) }
        #expect(model.shared.findings.groups.map(\.rule) == ["completed-twice", "blocking-wait", "fan-out"])
    }

    @Test("s suppresses a name, + and - change the threshold, u undoes the changes")
    func settings() {
        var session = Self.session()
        session.press(.character("s"))
        #expect(Self.rules(session) == ["main-stall", "blocking-wait", "fan-out"])
        session.press(.home, .character("+"), .character("+"))
        #expect(Self.rules(session) == ["blocking-wait", "fan-out"])
        session.press(.character("u"))
        #expect(Self.rules(session) == ["completed-twice", "main-stall", "blocking-wait", "fan-out"])
        #expect(session.model.shared.findings.settingsInForce == WarningSettings())
    }

    @Test("The Tasks filter accepts rules, completes with Tab, and explains an invalid query")
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

    @Test("u is offered for findings that the user has suppressed on the screen, and not for those that the settings suppress")
    func suppressedBySettings() throws {
        var trace = TraceBuilder()
        for name in ["load", "save"] {
            let source = trace.source(name)
            trace.complete(source)
            trace.completeTwice(source, isError: true)
        }
        var settings = WarningSettings()
        try settings.suppress("completed-twice:load")
        try settings.suppress("completed-twice:save")
        var session = Session(trace, columns: 160, screen: WarningsScreen.name, settings: settings)
        #expect(session.lines.contains { $0.contains("2 findings suppressed by the settings.") }, "\(session.lines)")
        settings.suppressions.removeLast()
        session = Session(trace, columns: 160, screen: WarningsScreen.name, settings: settings)
        session.press(.character("s"))
        #expect(
            session.lines.contains { $0.contains("2 findings suppressed: u lists again what was suppressed here.") }, "\(session.lines)")
    }

    @Test("Suppressing a name with a * in it hides no other name")
    func suppressedNameIsNoPattern() {
        var trace = TraceBuilder()
        for name in ["load *", "load users"] {
            let source = trace.source(name)
            trace.complete(source)
            trace.completeTwice(source, isError: true)
        }
        var session = Session(trace, screen: WarningsScreen.name)
        #expect(session.model.shared.findings.count == 2)
        session.press(.character("s"))
        #expect(session.model.shared.findings.count == 1 && session.lines.contains { $0.contains("load users") }, "\(session.lines)")
    }

    @Test("The settings in force stay when another process is shown, and u still goes back to those at the start")
    func settingsOfAnotherProcess() {
        var session = Self.session()
        session.press(.character("s"), .character("+"))
        let settings = session.model.shared.findings.settingsInForce
        let next = Model(showing: ProgramProcess(pid: 7, name: "tests", eventCount: 1), insteadOf: session.model)
        #expect(settings != WarningSettings() && next.shared.findings.settingsInForce == settings)
        #expect(next.shared.findings.settings == WarningSettings())
    }

    @Test("A click selects a finding of the kind and a second opens its task; the wheel scrolls the list below the mouse")
    func mouseOnFindings() {
        var session = Self.session()
        session.press(.down, .down)
        let area = session.model.warnings.findings.area
        let kinds = session.model.warnings.pane
        func wheel(_ action: Mouse.Action, at row: Int) {
            session.send(.mouse(Mouse(action, at: Point(column: 5, row: row))))
            session.frame()
        }
        wheel(.wheelDown, at: area.top)
        #expect(session.model.warnings.findings.rows.lowerBound == 3 && session.model.warnings.pane == kinds)
        session.click(20, area.top + 1)
        #expect(session.model.warnings.finding == 4)
        let task = session.model.warnings.group(session.model.shared)?.findings[4].task
        #expect(session.model.shared.selection == task && session.model.detail == nil)
        session.click(20, area.top + 1)
        #expect(session.model.detail?.task == task)
        session.press(.escape)
        wheel(.wheelDown, at: kinds.area.top)
        #expect(session.model.warnings.findings.rows.lowerBound == 3)
    }

    @Test("A wide terminal has room for the whole sentences of all rules", arguments: [true, false])
    func wholeSentences(hasFindings: Bool) {
        var session = hasFindings ? Session(SampleTraces.warnings, columns: 200, rows: 50) : Session(columns: 200, rows: 50)
        session.press(.character("7"))
        #expect(!session.lines.contains { $0.contains("…") }, "\(session.lines)")
        #expect(session.lines.contains { $0.contains("cancelled-before-stored ") }, "\(session.lines)")
    }
}
