import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The lists can be read at any moment: a cursor from the start, an order that holds while time passes, groups with their figures.
@Suite struct ReadingTests {
    private func isMarked(_ session: Session, row: Int) -> Bool {
        session.canvas[Point(column: 20, row: row)].style.emphasis.contains(.selected)
    }

    @Test func tasksHaveACursorBeforeTheFirstKey() {
        var session = Session(SampleTraces.kinesis)
        #expect(isMarked(session, row: 3) && session.model.shared.selection == nil)
        session.press(.down)
        #expect(isMarked(session, row: 4) && !isMarked(session, row: 3))
        session.press(.escape)
        #expect(isMarked(session, row: 3))
    }

    @Test("Keys about one task concern the one under the cursor") func theCursorIsTheSubject() {
        var session = Session(SampleTraces.kinesis)
        let first = session.model.tasks.list[0]
        session.press(.character("x"))
        #expect(session.effects == [.control(.cancel(first))])
        session.press(.enter)
        #expect(session.model.detail?.task == first)
    }

    @Test("A running task overtakes the times of ended ones without an event") func theOrderHoldsWhileTimePasses() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let slow = trace.root("slow", on: pool)
        trace.run(slow, milliseconds: 50)
        let open = trace.root("open", on: pool)
        trace.enqueue(open)
        trace.start(open)
        trace.advance(milliseconds: 1)
        var session = Session(trace)
        while session.model.settings.sort.column != .total { session.press(.character("s")) }
        #expect(session.model.tasks.list == [slow, open])
        session.model.history.advance(to: session.model.store.now + 200_000_000)
        session.send(.frame(at: 1))
        #expect(session.model.tasks.list == [open, slow])
    }

    @Test func groupsByPlaceHaveTheirCountAgeAndGrowth() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        for _ in 0..<3 { trace.run(trace.root("upload", on: pool, line: 40), milliseconds: 100) }
        for _ in 0..<2 { _ = trace.root("upload", on: pool, line: 40) }
        trace.advance(milliseconds: 1700)
        _ = trace.root("other", on: pool, line: 7)
        var session = Session(trace)
        while session.model.settings.grouping != .site { session.press(.character("o")) }
        #expect(session.lines[23].contains("Tasks are grouped by place."))
        let heading = session.lines.first { $0.contains(":40") }
        #expect(heading?.contains("5 tasks, 2 live, oldest 1.700 s, +60/min") == true, "\(session.lines)")
    }

    @Test("The tasks of a library are one folded row, without those that run the program's code, unless a filter finds them")
    func librariesAreFolded() {
        var trace = TraceBuilder()
        let library = trace.label(
            code: trace.code(CodeSymbol(function: "Server.run()", file: "Server.swift", line: 3, library: "hummingbird")))
        let tasks = (0..<4).map { _ in trace.reserveTask() }
        _ = trace.root("load")
        for task in tasks { trace.emit(TaskEvent(.created, task: task, label: library, detail: TaskKind.groupChild.rawValue)) }
        let route = trace.text("GET /orders")
        trace.emit(TaskEvent(.mark, task: tasks[0], label: route, detail: MarkManner.name.rawValue))
        trace.emit(TaskEvent(.resumed, task: tasks[1]))
        let handler = trace.code(CodeSymbol(function: "pay(_:)", file: "App.swift", line: 7))
        trace.emit(TaskEvent(.suspended, task: tasks[1], label: handler, detail: SuspensionReason.continuation.rawValue))
        var session = Session(trace)
        let names = { (session: Session) in session.lines.map { $0.split(separator: " ").joined(separator: " ") } }
        let lines = names(session)
        for text in ["▾ the program 3 tasks", "load", "GET /orders", "pay(_:) App.swift:7", "▸ hummingbird 2 tasks"] {
            #expect(lines.contains { $0.contains(text) }, "\(text): \(lines)")
        }
        #expect(!lines.contains { $0.contains("run()") })
        session.press(.character("Z"), .character("Z"))
        #expect(names(session).contains { $0.contains("run()") }, "\(names(session))")
        session.press(.character("z"), .character("/"))
        for character in "Server" { session.press(.character(character)) }
        #expect(names(session).count { $0.contains("run()") } == 2, "\(names(session))")
    }

    @Test("Groups by name have their tasks' memory, as snapshots show it, and nothing that snapshots do not show")
    func groupsHaveTheirMemory() {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let pool = trace.executor("pool", .pool)
        for size in [1000, 2000, 4000] {
            let task = trace.root("leak", on: pool)
            trace.emit(TaskEvent(.memory, task: task, other: UInt64(size)))
        }
        trace.advance(milliseconds: 1700)
        _ = trace.root("other", on: pool)
        var session = Session(trace)
        while session.model.settings.grouping != .name { session.press(.character("o")) }
        let heading = session.lines.first { $0.contains("leak  3 tasks") }
        #expect(heading?.contains("leak  3 tasks, 3 live, 6.9 kB") == true, "\(session.lines)")
        #expect(heading?.contains("oldest") == false && heading?.contains("/s") == false)
    }

    @Test("From outside, no executor and no size of memory is told as an event, and a time is the least one")
    func snapshotsTellWhatTheyShow() {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let task = trace.create(.unstructured, "request 7")
        trace.suspend(task, .continuation)
        trace.emit(TaskEvent(.memory, task: task, other: 9544))
        trace.advance(milliseconds: 3300)
        trace.emit(TaskEvent(.memory, task: task, other: 9560))
        var session = Session(trace)
        #expect(session.lines.contains { $0.contains("≥3.300 s") }, "\(session.lines)")
        let executors = "Executors are not seen from outside, only the one that a task runs on or is queued on."
        for screen in ["0", "3", "4"] as [Character] {
            session.press(.character(screen))
            let text = session.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
            #expect(text.contains(executors.prefix(60)), "\(session.lines)")
            #expect(!text.contains("memory"), "\(session.lines)")
        }
        session.press(.character("0"))
        #expect(session.lines.joined().contains("`request 7` has waited at least 3.300 s for a continuation"), "\(session.lines)")
        #expect(session.lines.contains { $0.contains("1 task waits, for at least 3.300 s: w") }, "\(session.lines)")
        session.press(.character("1"), .enter)
        #expect(session.lines.contains { $0.contains("has 9,560 bytes of memory") }, "\(session.lines)")
    }

    @Test("From outside, that a job's thread blocks has room beside its time", arguments: [80, 120])
    func blockedFromOutside(columns: Int) {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let main = trace.executor("main", .main)
        let task = trace.create(.unstructured, "blocker", on: main)
        trace.start(task, .slice)
        trace.beginWait(for: .none, by: task)
        trace.advance(milliseconds: 4389)
        trace.emit(TaskEvent(.memory, task: task, other: 9560))
        let session = Session(trace, columns: columns, screen: ExecutorsScreen.name)
        let words = columns == 80 ? "blocked" : "its thread blocks"
        #expect(session.lines.contains { $0.contains("for 4.389 s in each snapshot  \(words)") }, "\(session.lines)")
    }

    @Test("From outside, no time of a job or of its wait is told: it may have ended and begun again between two looks")
    func snapshotsTellNoTimesOfJobs() {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let main = trace.executor("main", .main)
        let task = trace.create(.unstructured, "hop", on: main)
        for _ in 0..<4 {
            trace.enqueue(task)
            trace.advance(milliseconds: 500)
            trace.start(task, .slice)
            trace.advance(milliseconds: 500)
            trace.suspend(task, .executor)
        }
        trace.enqueue(task)
        trace.advance(milliseconds: 500)
        trace.emit(TaskEvent(.memory, task: task, other: 9560))
        var session = Session(trace, columns: 200, rows: 50)
        for screen in ["1", "0", "3"] as [Character] {
            session.press(.character(screen))
            let text = session.lines.joined(separator: "\n")
            for word in ["worst wait", "longest", "% "] { #expect(!text.contains(word), "\(screen), \(word): \(text)") }
        }
        let unseen = "how busy it is and how long jobs wait is not seen from outside"
        #expect(session.lines.contains { $0.contains(unseen) }, "\(session.lines)")
        session.press(.character("1"), .enter)
        #expect(!session.lines.contains { $0.contains("in queue") }, "\(session.lines)")
        #expect(session.lines.contains { $0.contains("waits for main, for 500.0 ms in each snapshot") }, "\(session.lines)")
    }

    @Test(arguments: [60, 80, 200]) func thePausedHeaderKeepsTheClock(columns: Int) {
        var session = Session(SampleTraces.faults, columns: columns)
        session.press(.character(" "), .character(","))
        let clock = session.lines[0].split(separator: " ").last
        #expect(clock == "00:00.03", "\(session.lines[0])")
        #expect(session.lines[0].contains("\(session.model.history.position)"))
        #expect(session.lines[0].contains("fault"))
    }

    @Test("Faults stand lost first, and the newest first after s") func lostErrorsComeFirst() {
        var session = Session(SampleTraces.faults)
        session.press(.character("5"))
        func verdicts() -> [String] { session.lines[3...7].map { String($0.dropFirst(14).prefix { $0 != " " }) } }
        #expect(verdicts() == ["unobserved", "swallowed", "pending", "pending", "recovered"])
        #expect(session.lines[2].contains("Verdict▲"))
        session.press(.character("s"))
        #expect(verdicts() == ["swallowed", "unobserved", "pending", "pending", "recovered"])
        #expect(session.lines[2].contains("Time▼"))
        session.click(14, 2)
        #expect(verdicts().first == "unobserved")
    }
}
