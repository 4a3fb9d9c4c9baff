import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// The use of the room that a screen has.
@Suite struct RoomTests {
    private static let name = "Server.handleTheRequestOfTheClient(request:context:)"

    private static var longNames: TraceBuilder {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        let main = trace.executor("main", .main)
        for number in 1...2 {
            let task = trace.root("\(name) \(number)", on: disk)
            trace.hop(task, from: main, to: disk)
            trace.enqueue(task)
            trace.advance(milliseconds: 2)
            trace.start(task)
            trace.advance(milliseconds: 4)
            trace.complete(task)
            trace.endJob(task)
        }
        return trace
    }

    @Test("A name is not cut where its line has room", arguments: [GraphScreen.name, HopsScreen.name])
    func names(screen: ScreenName) {
        var session = Session(Self.longNames, columns: 138, rows: 30, screen: screen)
        if screen == HopsScreen.name { session.press(.enter) }
        for number in 1...2 { #expect(session.lines.contains { $0.contains("\(Self.name) \(number) ") }, "\(number)") }
    }

    @Test("Boxes are as wide as the names need") func boxes() {
        var session = Session(Self.longNames, columns: 140, rows: 30, screen: GraphScreen.name)
        session.press(.home, .character("g"))
        #expect(session.lines.contains { $0.contains("│✓ \(Self.name) 1") })
    }

    @Test("A wide window has wide boxes, with each task's fate if their rows are visible") func largeBoxes() {
        var trace = TraceBuilder()
        let task = trace.root("read", on: trace.executor("disk", .queue))
        trace.fault(task, type: "Torn", message: "a page")
        var session = Session(trace, columns: 200, rows: 50, screen: GraphScreen.name)
        session.press(.home, .character("g"))
        let row = session.lines.firstIndex { $0.contains("│✗ read ") } ?? 0
        #expect(session.lines[row].contains("│✗ read" + String(repeating: " ", count: 56) + "│"), "\(session.lines)")
        #expect((1...3).contains { session.lines[row + $0].contains("│ Torn: a page ") }, "\(session.lines)")
    }

    @Test("Names in Tasks are whole before another column grows", arguments: [139, 200])
    func taskNames(columns: Int) {
        var trace = TraceBuilder()
        let name = "handle(request:) App.swift:52"
        let waiting = trace.create(.unstructured, name)
        trace.start(waiting, .dequeued)
        trace.suspend(waiting, .continuation)
        let session = Session(trace, columns: columns, rows: 30, screen: TasksScreen.name)
        #expect(session.lines[3].contains(" \(name) "), "\(session.lines)")
    }

    @Test("In 80 columns a hop's line has the whole job that it waited for, and a stall's the time of the longest wait")
    func hops() {
        var trace = TraceBuilder()
        let (disk, main) = (trace.executor("disk", .queue), trace.executor("main", .main))
        let blocker = trace.root("render(_:) App.swift:52", on: main)
        trace.enqueue(blocker)
        trace.start(blocker)
        trace.advance(milliseconds: 1)
        let task = trace.root("handle(request:) App.swift:5", on: main)
        trace.hop(task, from: disk, to: main)
        trace.enqueue(task)
        trace.advance(milliseconds: 300)
        trace.complete(blocker)
        trace.endJob(blocker)
        trace.start(task)
        trace.complete(task)
        trace.endJob(task)
        let session = Session(trace, columns: 80, rows: 24, screen: HopsScreen.name)
        #expect(session.lines.contains { $0.contains("waited 300.0 ms for render(_:) App.swift:52") }, "\(session.lines)")
        #expect(session.lines.contains { $0.hasSuffix(" 1 waited, up to 300.0 ms") }, "\(session.lines)")
    }

    @Test("Warnings gives the room that a finding's events leave to the others of its kind") func otherFindings() {
        var session = Session(SampleTraces.warnings, columns: 80, rows: 24, screen: WarningsScreen.name)
        session.press(.down, .down)
        let title = session.lines.firstIndex { $0.contains("All 40 of this kind") } ?? 0
        #expect(session.lines[title - 1].contains(" 文件 answer (2)"), "a row of the finding's events: \(session.lines)")
    }

    @Test("The program's name is cut only where the header is full", arguments: [80, 140])
    func program(columns: Int) {
        let program = "a-program-with-a-name-of-more-than-thirty-letters"
        let session = Session(Self.longNames, columns: columns, program: program)
        #expect(session.lines[0].contains(program) == (columns == 140))
    }

    @Test("A wide terminal has the selected task's detail beside hops and sites, and below few lanes", arguments: ["6", "P", "4"])
    func detail(key: Character) throws {
        var trace = TraceBuilder()
        let (main, pool) = (trace.executor("main", .main), trace.executor("net", .pool))
        let first = trace.root("load", on: pool)
        trace.run(first, milliseconds: 2)
        let second = trace.continuation("show", of: first, on: main)
        trace.hop(second, from: pool)
        trace.run(second, milliseconds: 5)
        var session = Session(trace, columns: 200, rows: 50)
        session.follow(second)
        session.press(.character(key))
        let line = try #require(session.lines.firstIndex { $0.contains(" Times") }, "\(session.lines)")
        #expect(session.model.beside?.task == second)
        #expect((line > 12) == (key == "4"))
        if key != "4" {
            // Nothing of the list reaches into the detail.
            let rule = try #require(session.lines[2].firstIndex(of: "│")).utf16Offset(in: session.lines[2])
            let rows = session.lines[2..<40].map { Array($0) }
            #expect(rows.allSatisfy { $0.count > rule && $0[rule] == "│" }, "\(session.lines)")
            #expect(rows.allSatisfy { ($0.dropFirst(rule + 1).first ?? " ") == " " }, "\(session.lines)")
        }
        session = Session(trace, columns: 120, rows: 50)
        session.press(.character(key))
        #expect(session.model.beside == nil)
    }

    @Test("The name of a high lane stands beside its bars", arguments: [24, 60])
    func lanes(rows: Int) throws {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        trace.startClosure("read()", on: disk)
        trace.advance(microseconds: 100)
        trace.endClosure("read()", on: disk)
        trace.advance(milliseconds: 99)
        trace.mark("end")
        let session = Session(trace, columns: 100, rows: rows, screen: TimelineScreen.name)
        let line = try #require(session.lines.first { $0.hasPrefix(" disk ") })
        #expect(line.contains { "▁▂▃▄▅▆▇".contains($0) }, "\(session.lines.joined(separator: "\n"))")
    }

    @Test("No time on the ruler is cut", arguments: 90...110)
    func ruler(columns: Int) {
        let session = Session(SampleTraces.hops, columns: columns, screen: TimelineScreen.name)
        #expect(!session.lines[3].contains("…"), "\(session.lines[3])")
    }

    @Test("A finding takes the lines that it needs") func findings() {
        let session = Session(SampleTraces.warnings, columns: 60, rows: 60, screen: OverviewScreen.name)
        let areas = session.model.overview.areas
        let counts = Set((0..<session.model.shared.findings.groups.count).map { areas.lineCount(ofFinding: $0) })
        #expect(counts.count > 1, "sentences of several lengths")
        let titles = session.lines.indices.filter { session.lines[$0].hasPrefix(" Needs") || session.lines[$0].hasPrefix(" Executors") }
        let between = session.lines[(titles.first ?? 0) + 1..<(titles.last ?? 1)]
        #expect(between.allSatisfy { !$0.allSatisfy { $0 == " " } }, "no blank line")
    }

    @Test("Where nothing is wrong, Warnings lists the rules that looked") func rules() {
        let session = Session(Self.longNames, columns: 120, rows: 36, screen: WarningsScreen.name)
        #expect(session.lines.contains { $0.contains("✓ main-stall ") && $0.contains("(over ") }, "\(session.lines)")
    }

    @Test("The Executors screen gives its free room to pictures of the queues") func charts() {
        var session = Session(Self.longNames, columns: 120, rows: 36, screen: ExecutorsScreen.name)
        #expect(session.lines.contains { $0.contains("jobs in the queue") })
        session.press(.down, .down, .down, .down)
        #expect(!(session.model.executors.selection.map { $0.line > 2 } ?? true), "the picture has no cursor")
        session = Session(Self.longNames, columns: 120, rows: 16, screen: ExecutorsScreen.name)
        #expect(!session.lines.contains { $0.contains("jobs in the queue") })
        #expect(session.lines.contains { $0.contains("max 1") })
    }

    @Test("Boxes that would cut names have the room that their own names need, or names of two lines", arguments: [120, 80])
    func tightBoxes(columns: Int) {
        var trace = TraceBuilder()
        let names = ["findAsync", "setValedictorian", "findSalutatorian", "handleError", "everythingIsDone"]
        let executor = trace.executor("default", .default)
        var last = trace.root(names[0], on: executor)
        trace.run(last)
        for name in names.dropFirst() {
            last = trace.continuation(name, of: last, on: executor)
            trace.run(last)
        }
        var session = Session(trace, columns: columns, screen: GraphScreen.name)
        session.press(.home, .character("g"))
        let picture = session.lines.filter { $0.contains("│") }
        #expect(!picture.contains { $0.contains("…") }, "\(picture)")
        if columns == 120 { for name in names { #expect(picture.contains { $0.contains("✓ \(name)") }, "\(name)") } }
        let parts = columns == 80 ? ["✓ find", "  Async", "✓ handle", "  Error"] : []
        for part in parts { #expect(picture.contains { $0.contains("│\(part) ") }, "\(part)") }
        let lines = session.lines
        session.press(.character("+"))
        #expect(session.lines != lines, "a nearer zoom is another picture")
    }

    @Test("An executor whose jobs never waited has its figures and its longest job in one line") func noWaits() throws {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        trace.startClosure("read()", on: disk)
        trace.advance(milliseconds: 4)
        trace.endClosure("read()", on: disk)
        var session = Session(trace, screen: ExecutorsScreen.name)
        let line = try #require(session.lines.first { $0.contains("1 job · ") })
        #expect(line.contains("longest 4.0 ms  read()"), "\(line)")
        session.press(.down, .down)
        #expect(session.model.executors.selection.map { $0.line } == 1)
        session.press(.character("/"), .character("r"), .character("e"), .character("a"))
        #expect(session.model.executors.selection.map { $0.line } == 1, "a search finds the job in its line")
    }

    @Test("The sentence below an error's path takes the rows that the steps leave") func faultSentence() {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        let task = trace.root("\(Self.name).\(Self.name).\(Self.name).\(Self.name)", on: disk)
        trace.enqueue(task)
        trace.start(task)
        trace.fault(task, type: "Broken")
        trace.endJob(task)
        let session = Session(trace, columns: 80, rows: 24, screen: FaultsScreen.name)
        #expect(session.lines.contains { $0.contains("failed first.") }, "\(session.lines)")
    }

    /// A chain that goes through the queue on which it is already, so often that Warnings has a finding.
    private static var finding: TraceBuilder {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        let name = "closure #1 in closure #2 in closure #3 in closure #4 in Server.run()"
        var last = trace.root(name, on: disk)
        trace.run(last)
        for _ in 1...10 {
            last = trace.continuation(name, of: last, on: disk)
            trace.hop(last, from: disk)
            trace.run(last)
        }
        return trace
    }

    @Test("The evidence of a finding shows the end of a closure's name") func evidence() {
        let session = Session(Self.finding, columns: 80, rows: 24, screen: WarningsScreen.name)
        let lines = session.lines.filter { $0.contains(" hopped ") }
        #expect(lines.count > 1 && lines.allSatisfy { $0.contains("in Server.run() (") && $0.contains(" on disk") }, "\(session.lines)")
    }

    @Test("Below its findings, Warnings lists the other rules where it has room") func otherRules() throws {
        let session = Session(Self.finding, columns: 200, rows: 50, screen: WarningsScreen.name)
        let row = try #require(session.lines.firstIndex { $0.hasPrefix(" The other rules:") }, "\(session.lines)")
        #expect(session.lines[row...].contains { $0.hasPrefix(" ✓ main-stall ") })
        #expect(!session.lines[row...].contains { $0.contains(" redundant-hop ") })
    }

    @Test("The times of a task's detail are in their order, also of one that began inline and was queued later")
    func timesInOrder() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.root("main", on: main)
        trace.advance(milliseconds: 1)
        trace.start(task, .inline)
        trace.advance(milliseconds: 20)
        trace.suspend(task)
        trace.enqueue(task)
        var session = Session(trace, columns: 200, rows: 50, screen: TasksScreen.name)
        session.press(.down)
        let rows = ["created  ", "started  ", "queued  "].map { word in session.lines.firstIndex { $0.contains("│  \(word)") } }
        #expect(rows.compactMap { $0 }.count == 3 && rows[0]! < rows[1]! && rows[1]! < rows[2]!, "\(session.lines)")
    }

    @Test("A task that no event shows in a queue is not said to have run through one", arguments: [false, true])
    func throughItsQueue(isQueued: Bool) {
        var trace = TraceBuilder()
        let task = trace.root("serve", on: trace.executor("disk", .queue))
        if isQueued { trace.enqueue(task) }
        trace.start(task)
        var session = Session(trace, columns: 200, rows: 50, screen: TasksScreen.name)
        session.press(.down)
        #expect(session.lines.contains { $0.contains("through its queue") } == isQueued, "\(session.lines)")
    }

    @Test("On a wide terminal, the Timeline has room for longer names of executors", arguments: [(120, false), (200, true)])
    func timelineNames(columns: Int, isWhole: Bool) {
        var trace = TraceBuilder()
        trace.run(trace.root("serve", on: trace.executor("ServerOf<HTTP2Channel>", .actor)))
        let session = Session(trace, columns: columns, rows: 30, screen: TimelineScreen.name)
        #expect(session.lines.contains { $0.hasPrefix(" ServerOf<HTTP2Channel>") } == isWhole, "\(session.lines)")
    }
}
