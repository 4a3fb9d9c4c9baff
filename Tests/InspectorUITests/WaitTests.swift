import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// `w`: why a task, a job or an executor waits.
@Suite struct WaitTests {
    /// A task outside of two transfers that each hold a queue and block for the other's.
    static var deadlock: TraceBuilder {
        var trace = TraceBuilder()
        let queues = [trace.executor("savings", .queue), trace.executor("current", .queue)]
        let done = trace.root("debit", on: queues[0])
        trace.run(done)
        let transfers = [trace.root("from savings", on: queues[0], line: 10), trace.root("from current", on: queues[1], line: 11)]
        for (lane, transfer) in transfers.enumerated() {
            trace.lane = UInt16(lane + 1)
            trace.start(transfer)
        }
        let credits = [trace.root("credit current", on: queues[1]), trace.root("credit savings", on: queues[0])]
        for (lane, credit) in credits.enumerated() {
            trace.lane = UInt16(lane + 1)
            trace.enqueue(credit)
            trace.beginWait(for: credit, by: transfers[lane])
        }
        let both = trace.join("both", of: transfers)
        _ = trace.continuation("receipt", of: both)
        trace.advance(milliseconds: 250)
        trace.mark("now")
        return trace
    }

    private func wait(_ session: Session) -> WaitScreen? {
        session.model.layers.overlays.lazy.compactMap { $0 as? WaitScreen }.first
    }

    private func expect(_ session: Session, _ name: String) {
        if let difference = ScreenSnapshot().difference(of: session.canvas, from: name) { Issue.record("\(difference)") }
    }

    @Test("In the detail, a wait is the same number as the time suspended, at every frame")
    func oneNumber() {
        var trace = TraceBuilder()
        let task = trace.create(.unstructured, "request")
        trace.start(task, .dequeued)
        trace.suspend(task, .continuation)
        trace.advance(milliseconds: 1000)
        trace.mark("later")
        var session = Session(trace, columns: 120)
        session.follow(task)
        session.press(.enter)
        for _ in 0..<3 {
            trace.advance(milliseconds: 50)
            session.apply([TaskEvent(.mark, task: .none, at: trace.now)])
            let wait = DurationText.text(session.model.history.latest.task(task)?.suspendedTime)
            let text = session.lines.joined(separator: " ")
            #expect(text.contains("suspended     \(wait)") && text.contains(", for \(wait)"), "\(wait): \(session.lines)")
        }
    }

    @Test("One key from the Tasks screen shows who waits for whom in a deadlock, as a ring; in ASCII too", arguments: GlyphSet.allCases)
    func ring(glyphs: GlyphSet) throws {
        var session = Session(Self.deadlock, glyphs: glyphs)
        #expect(session.model.screen == TasksScreen.name)
        #expect(session.lines[23].contains("w why"))
        session.press(.character("w"))
        let rows = try #require(wait(session)).rows
        #expect(rows.map(\.name) == ["`from savings`", "`credit current`", "`from current`", "`credit savings`", ""])
        #expect(rows.map(\.isInRing) == Array(repeating: true, count: 5))
        #expect(rows.last?.text == "Back to `from savings`: none of these 4 can go on.")
        if glyphs == .ascii { #expect(session.lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }) }
        expect(session, "wait-ring-\(glyphs)")
    }

    @Test("A wide terminal shows the same ring, entered from a task before it")
    func wide() throws {
        var session = Session(Self.deadlock, columns: 120, rows: 36)
        let receipt = try #require(session.model.store.rows.lazy.map { session.model.store[$0] }.first { $0.label.name == "receipt" }?.id)
        session.follow(receipt)
        session.press(.character("w"))
        #expect(wait(session)?.rows.map(\.isInRing) == [false, false, true, true, true, true, true])
        expect(session, "wait-ring-120x36")
    }

    @Test("Why a given task is stuck takes two keys: the arrow to it, and w")
    func twoKeys() throws {
        var session = Session(Self.deadlock)
        session.press(.down, .character("w"))
        let selected = try #require(session.model.shared.selection)
        #expect(wait(session)?.subject == .task(selected))
    }

    @Test("Enter on a link opens its task; Esc goes back to the chain, and then to where it was asked")
    func links() throws {
        var session = Session(Self.deadlock)
        session.press(.character("w"), .down, .enter)
        #expect(session.model.detail?.task == TaskID(rawValue: 4))
        #expect(session.selectedName() == "credit current")
        #expect(session.lines.contains { $0.contains("Why it waits") })
        session.press(.escape)
        #expect(session.model.detail == nil && wait(session) != nil)
        session.press(.escape)
        #expect(wait(session) == nil && session.model.screen == TasksScreen.name)
    }

    @Test("w works on every screen that has a selected task, and in its detail", arguments: ["1", "2", "4", "5", "6", "7"])
    func everywhere(digit: Character) throws {
        var session = Session(Self.deadlock)
        session.press(.character(digit))
        session.follow(TaskID(rawValue: 2))
        session.press(.character("w"))
        #expect(wait(session)?.subject == .task(TaskID(rawValue: 2)))
        session.press(.enter, .character("w"))
        #expect(wait(session)?.subject == .task(TaskID(rawValue: 2)))
        #expect(session.model.layers.overlays.count == 3, "Esc goes back through the detail to the first")
    }

    @Test("On Executors w explains the job of the line, and the executor on its heading; Enter on a closure goes to its executor")
    func executors() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.startClosure("draw(_:)", on: main, line: 29)
        let task = trace.root("show", on: main)
        trace.enqueue(task)
        trace.advance(milliseconds: 3)
        trace.mark("now")
        var session = Session(trace)
        session.press(.character("3"), .down, .character("w"))
        #expect(wait(session)?.subject == .executor(main))
        #expect(wait(session)?.rows.map(\.name) == ["main", "`draw(_:)`"])
        session.press(.down, .enter)
        #expect(wait(session) == nil)
        #expect(session.model.screen == ExecutorsScreen.name)
        #expect(session.model.executors.selection == ExecutorLine(executor: main, line: 0))
        #expect(session.lines.contains { $0.contains("longest 3.0 ms  draw(_:)  main.swift:29") })
        session.press(.down, .down, .character("w"))
        guard case .job(let job, main) = wait(session)?.subject else { return #expect(Bool(false), "\(String(describing: wait(session)))") }
        #expect(job.task == .none)
        session.press(.escape, .down, .character("w"))
        #expect(wait(session)?.subject == .task(task))
    }

    @Test("Where w can do nothing, the footer says why")
    func nothing() throws {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        trace.run(trace.root("done", on: net))
        var session = Session(trace, screen: OverviewScreen.name)
        session.press(.character("w"))
        #expect(session.model.shared.notice?.contains("No task waits here") == true)
        session.press(.character("3"), .home, .character("w"))
        #expect(session.model.shared.notice == "net: runs nothing, and no job waits for it.")
        #expect(wait(session) == nil)
    }

    @Test("The chain is that of the time cursor")
    func cursor() throws {
        var session = Session(Self.deadlock)
        session.press(.character("w"))
        #expect(wait(session)?.rows.count == 5)
        session.press(.character(","), .character(","), .character(","), .character(","))
        // The second transfer does not block yet.
        #expect(wait(session)?.rows.last?.text.contains("none of these") == false)
        session.press(.end)
        #expect(wait(session)?.rows.count == 5)
    }

    @Test("Tasks names what each task waits for, and sorts by it")
    func column() throws {
        var session = Session(Self.deadlock, columns: 139, rows: 24)
        #expect(session.lines[2].contains("Name") && session.lines[2].contains("Waits for") && session.lines[2].contains("Where"))
        #expect(session.lines.contains { $0.contains("from savings") && $0.contains("`credit cu") })
        session.settle(
            {
                var settings = session.model.settings
                settings.sort = TaskSort(column: .waits)
                return settings
            }())
        let names = session.model.tasks.list.compactMap { session.model.store.task($0)?.label.name }
        #expect(Set(names.prefix(2)) == ["credit current", "credit savings"])
        #expect(Set(names.dropFirst(2).prefix(4)) == ["from savings", "from current", "both", "receipt"])
        #expect(names.last == "debit")
        session.press(.character("2"))
        #expect(session.lines.contains { $0.contains("from savings") && $0.contains("waits for `credit current`") })
    }

    @Test("Hops names the closure that a hop waited for", arguments: [80, 140])
    func hops(columns: Int) throws {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .pool))
        let root = trace.root("root", on: net)
        trace.run(root)
        trace.startClosure("draw(_:)", on: main, line: 29)
        let show = trace.continuation("show", of: root, on: main)
        trace.hop(show, from: net)
        trace.enqueue(show)
        trace.advance(milliseconds: 20)
        trace.endJob(.none, on: main)
        trace.run(show)
        var session = Session(trace, columns: columns)
        session.press(.character("6"))
        #expect(session.lines.contains { $0.contains("show") && $0.contains("for draw(_:)") })
        #expect(session.lines.contains { $0.contains("draw(_:)") && $0.contains("blocked 20.0 ms") })
    }

    @Test("A program without gates: keys for jobs are not offered, and say why they do nothing")
    func withoutGates() throws {
        var session = Session(Self.deadlock)
        session.press(.character("?"))
        #expect(session.model.help?.lines.contains { $0.map(\.text).joined().contains("hold every executor's jobs") } == true)
        session.press(.character("?"))
        session.refuseControls("The program takes no commands: you can look, but not control it.")
        session.press(.down)
        for key in ["b", "x", "X", "i", "I", "e", "E", "B"] as [Character] {
            session.press(.character(key))
            #expect(session.effects.isEmpty && session.model.palette == nil)
            #expect(session.model.shared.notice == "The program takes no commands: you can look, but not control it.")
        }
        session.press(.character("?"))
        #expect(session.model.help?.lines.contains { $0.map(\.text).joined().contains("hold every executor's jobs") } == false)
        session.press(.character("?"), .character(":"))
        session.type("hold")
        #expect(!session.lines.contains { $0.contains("hold every executor's jobs") })
    }
}
