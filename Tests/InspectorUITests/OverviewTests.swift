import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// The first screen.
@Suite struct OverviewTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        var columns: Int
        var rows: Int
        var testDescription: String { "\(columns)x\(rows)" }
    }

    static let shapes = [Shape(columns: 60, rows: 16), Shape(columns: 80, rows: 24), Shape(columns: 200, rows: 50)]

    private func session(_ trace: TraceBuilder, columns: Int = 80, rows: Int = 24) -> Session {
        Session(trace, columns: columns, rows: rows, screen: OverviewScreen.name)
    }

    private func expect(_ session: Session, _ name: String) {
        if let difference = ScreenSnapshot().difference(of: session.canvas, from: name) { Issue.record("\(difference)") }
    }

    @Test("It is the first screen")
    func first() {
        let model = Model(history: TraceHistory(), program: "demo", size: Size(columns: 80, rows: 24), glyphs: .unicode)
        #expect(model.screen == OverviewScreen.name)
    }

    @Test(arguments: shapes) func warnings(shape: Shape) {
        expect(session(SampleTraces.warnings, columns: shape.columns, rows: shape.rows), "overview-\(shape.testDescription)")
    }

    @Test("It is calm when nothing is wrong", arguments: shapes)
    func calm(shape: Shape) {
        let session = session(SampleTraces.hops, columns: shape.columns, rows: shape.rows)
        expect(session, "overview-calm-\(shape.testDescription)")
    }

    @Test("An error of main that ended the program has no tick, and is told in the words of the paths too")
    func failedMain() throws {
        var trace = TraceBuilder()
        let main = trace.create(.main, "main")
        trace.start(main, .inline)
        let task = trace.create(.unstructured, "load")
        trace.start(task, .slice)
        trace.fault(task, type: "Boom")
        trace.link(main, to: task, role: .awaited)
        trace.readError(of: task, by: main)
        trace.forwardFault(main, from: task)
        trace.readError(of: main)
        var session = session(trace, columns: 120)
        session.send(.ended)
        session.frame()
        #expect(session.canvas.lines().contains { $0.contains("✗ An error of main ended the program: Boom.") })
        #expect(!session.canvas.lines().contains { $0.contains("✓ No rule") })
        let store = trace.store()
        let step = try #require(FaultAnalysis(store).path(from: task)?.steps.last)
        #expect(FaultSentence(store).text(of: step).hasSuffix("which ended the program"))
        #expect(TaskWords(store).role(step.role, of: try #require(store.task(main))) == "its error ended the program")
    }

    @Test("Tasks that were there before the recording may hang, so for two seconds there is no tick but their number")
    func adopted() {
        var trace = TraceBuilder()
        for number in 1...4 as ClosedRange<UInt64> {
            let task = TaskID(rawValue: number)
            trace.emit(TaskEvent(.adopted, task: task, at: trace.now, detail: TaskKind.unstructured.rawValue))
            trace.emit(TaskEvent(.suspended, task: task, at: trace.now, detail: SuspensionReason.continuation.rawValue))
        }
        trace.advance(milliseconds: 300)
        trace.mark("later")
        let early = session(trace, columns: 120).lines.joined(separator: "\n")
        #expect(!early.contains("✓ "), "\(early)")
        #expect(early.contains("4 tasks were there before: long waits show after 2 s."), "\(early)")
        trace.advance(milliseconds: 2000)
        trace.mark("much later")
        let late = session(trace, columns: 120).lines.joined(separator: "\n")
        #expect(late.contains("4 tasks wait for a continuation that nothing has resumed"), "\(late)")
        #expect(!late.contains("were there before"), "\(late)")
    }

    @Test("Jobs that a program left running and queued are told as such, on the overview and on Executors")
    func atExit() {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        trace.startClosure("read()", on: disk)
        trace.enqueue(trace.root("write", on: disk))
        trace.advance(milliseconds: 5)
        var session = session(trace)
        #expect(session.canvas.lines().contains { $0.hasPrefix(" disk  queue  1 running  1 queued  ") })
        session.send(.ended)
        session.frame()
        #expect(session.canvas.lines().contains { $0.hasPrefix(" disk  queue  at exit: 1 running, 1 queued  ") })
        session.press(ExecutorsScreen.name.key)
        #expect(session.canvas.lines().contains { $0.hasPrefix(" disk  queue   at exit: 1 running, 1 queued") })
    }

    @Test("Enter on a finding leads to it, and on an executor to its queue")
    func rows() throws {
        var session = session(SampleTraces.warnings)
        let groups = session.model.shared.findings.groups
        #expect(groups.count > 1)
        for (row, group) in groups.enumerated() {
            for _ in 0..<row { session.press(.down) }
            session.press(.enter)
            if session.model.screen == FaultsScreen.name {
                #expect(session.model.store.task(group.first.task)?.state == .faulted)
                #expect(session.model.faults.path?.steps.contains { $0.task == group.first.task } == true)
            } else {
                #expect(session.model.screen == WarningsScreen.name)
                #expect(session.model.warnings.group(session.model.shared)?.rule == group.rule)
            }
            session.press(.escape)
            #expect(session.model.screen == OverviewScreen.name)
            session.press(.home)
        }
        session.press(.character("G"), .enter)
        let last = try #require(session.model.store.executors.last { _ in true })
        #expect(session.model.screen == ExecutorsScreen.name)
        #expect(session.model.executors.selection?.executor == last.id)
    }

    @Test("The worst wait of an executor names the job that ran meanwhile")
    func cause() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let draw = trace.root("draw", on: main)
        trace.enqueue(draw)
        trace.start(draw)
        let save = trace.root("save", on: main)
        trace.enqueue(save)
        trace.advance(milliseconds: 300)
        trace.complete(draw)
        trace.endJob(draw)
        trace.start(save)
        trace.complete(save)
        trace.endJob(save)
        let session = session(trace, columns: 120)
        #expect(session.lines.contains { $0.contains("worst wait 300.0 ms save during draw, which ran 300.0 ms") })
    }

    @Test("A job that ran for a small part of the worst wait is not named as its cause")
    func noCause() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let save = trace.root("save", on: main)
        trace.enqueue(save)
        for number in 1...10 { trace.run(trace.root("draw \(number)", on: main), milliseconds: 20) }
        trace.start(save)
        trace.complete(save)
        trace.endJob(save)
        let session = session(trace, columns: 120)
        #expect(session.lines.contains { $0.contains("worst wait 200.0 ms save") && !$0.contains("during") }, "\(session.lines)")
    }

    @Test("In a narrow panel the executor's kind gives way to its numbers, which no other text covers", arguments: 60...120)
    func heading(columns: Int) {
        var trace = TraceBuilder()
        let ledger = trace.executor("shapes.Ledger", .actor)
        let blocker = trace.root("blocker", on: ledger)
        trace.enqueue(blocker)
        trace.start(blocker)
        for name in ["one", "two", "three"] { trace.enqueue(trace.root(name, on: ledger)) }
        trace.advance(milliseconds: 300)
        // Below 72 columns the name is cut.
        let line = session(trace, columns: columns).lines.first { $0.contains(" busy ") } ?? ""
        #expect(columns < 72 || line.contains("shapes.Ledger"), "\(line)")
        #expect(columns < 76 || line.contains("1 running  3 queued "), "\(line)")
        #expect(columns < 90 || line.contains("shapes.Ledger  actor  "), "\(line)")
    }

    @Test("An executor on which no job has waited has one line, with its number of jobs and its longest one")
    func quietExecutor() throws {
        var trace = TraceBuilder()
        for name in ["first", "second", "third"] {
            let task = trace.root("work on \(name)", on: trace.executor(name, .queue))
            trace.enqueue(task)
            trace.start(task)
            trace.advance(milliseconds: 30)
            trace.complete(task)
            trace.endJob(task)
        }
        var session = session(trace, columns: 120)
        let rows = ["first", "second", "third"].map { name in session.lines.firstIndex { $0.hasPrefix(" \(name)  queue") } }
        #expect(rows.compactMap { $0 }.count == 3 && rows[1] == rows[0]! + 1 && rows[2] == rows[0]! + 2)
        #expect(session.lines[try #require(rows[1])].contains("1 job  longest 30.0 ms work on second"))
        session.click(3, try #require(rows[1]))
        session.click(3, try #require(rows[1]))
        #expect(session.model.screen == ExecutorsScreen.name)
        #expect(session.model.executors.selection.map { session.model.store.executor($0.executor)?.name } == "second")
    }

    @Test("Executors stand in one order on the overview and on Executors, main first", arguments: [false, true])
    func oneOrder(mainWaits: Bool) {
        var trace = TraceBuilder()
        let names = ["quiet", "slow", "fast", "main"]
        for (name, wait) in zip(names, [0, 900, 20, mainWaits ? 5 : 0]) {
            trace.run(trace.root("on \(name)", on: trace.executor(name, name == "main" ? .main : .queue)), after: UInt64(wait))
        }
        var session = session(trace, columns: 120, rows: 40)
        // The selected executor's detail repeats its name below the list.
        func order() -> [String] {
            session.lines.prefix { !$0.hasPrefix("─") }.compactMap { line in names.first { line.hasPrefix(" \($0)  ") } }
        }
        #expect(order() == ["main", "slow", "fast", "quiet"], "\(session.lines)")
        session.press(.character("G"), .enter)
        #expect(session.model.executors.selection.map { session.model.store.executor($0.executor)?.name } == "quiet")
        session.press(.escape, .home, .enter)
        #expect(session.model.executors.selection.map { session.model.store.executor($0.executor)?.name } == "main")
        session.press(ExecutorsScreen.name.key)
        #expect(order() == ["main", "slow", "fast", "quiet"], "\(session.lines)")
    }

    @Test("Where there are colours, names in sentences are bold instead of between backticks")
    func boldNames() {
        var session = session(SampleTraces.warnings, columns: 120)
        #expect(session.lines.contains { $0.contains("`") }, "\(session.lines)")
        session.useColours()
        #expect(!session.lines.contains { $0.contains("`") }, "\(session.lines)")
        let row = session.lines.firstIndex { $0.contains("Needs attention") }! + 1
        #expect((8..<120).contains { session.canvas[Point(column: $0, row: row)].style.emphasis.contains(.bold) })
    }

    @Test("A job that waits longer than any before it is told first, and brings its executor's panel to the front")
    func unfinishedWait() throws {
        var trace = TraceBuilder()
        let (disk, net) = (trace.executor("disk", .queue), trace.executor("net", .queue))
        trace.run(trace.root("read", on: disk), after: 8)
        trace.run(trace.root("ask", on: net), after: 2)
        trace.startClosure("hold()", on: net)
        trace.enqueue(trace.root("answer", on: net))
        trace.advance(milliseconds: 3000)
        _ = trace.root("later")
        let session = session(trace, columns: 120)
        let rows = [" net  queue", " disk  queue"].map { start in session.lines.firstIndex { $0.hasPrefix(start) } }
        let (first, second) = (try #require(rows[0]), try #require(rows[1]))
        #expect(first < second)
        #expect(session.lines[first + 1].contains("waits 3.000 s answer"), "\(session.lines)")
    }

    @Test("A trace that has lost events has no tick: any finding may be among them")
    func losses() {
        var trace = TraceBuilder()
        _ = trace.create(.unstructured, "request 7")
        trace.lose(3)
        let lines = session(trace, columns: 120).lines
        #expect(lines.contains { $0.contains(" No rule has found anything so far, but 3 events were lost.") }, "\(lines)")
        #expect(!lines.contains { $0.contains("✓") }, "\(lines)")
    }

    @Test("A program in which a task waits long has no tick, and the wait has a line; Enter explains it")
    func longWait() {
        var trace = TraceBuilder()
        let task = trace.create(.unstructured, "request 7")
        trace.start(task, .dequeued)
        trace.suspend(task, .continuation)
        trace.advance(milliseconds: 1500)
        trace.mark("later")
        var session = session(trace, columns: 120)
        #expect(session.lines.contains { $0.contains("✓ No rule has found anything so far.") }, "\(session.lines)")
        trace.advance(milliseconds: 6300)
        trace.mark("later")
        session = self.session(trace, columns: 120)
        #expect(!session.lines.contains { $0.contains("✓ No rule") }, "\(session.lines)")
        #expect(session.lines.contains { $0.contains("No rule fired; 1 task waits, for ") }, "\(session.lines)")
        let line = session.lines.firstIndex { $0.contains("`request 7` has waited 7.800 s for a continuation that nothing has resumed") }
        #expect(line != nil, "\(session.lines)")
        session.press(.enter)
        #expect(session.lines.contains { $0.contains("Why") && $0.contains("request 7") }, "\(session.lines)")
    }

    @Test(
        "A trace that ends in a hang names the wait and its line, also if it was cut", arguments: [true, false],
        [(400, "400.0 ms"), (7800, "7.800 s")] as [(UInt64, String)])
    func endInAHang(isCut: Bool, wait: (milliseconds: UInt64, text: String)) {
        var trace = TraceBuilder()
        let calls = trace.code(CodeSymbol(function: "send()", file: "Request.swift", line: 5))
        let task = trace.create(.unstructured, "request 7")
        trace.start(task, .dequeued)
        trace.suspend(task, .continuation, in: calls)
        trace.advance(milliseconds: wait.milliseconds)
        trace.mark("later")
        var session = session(trace, columns: 160)
        // The end comes before the next look at the waits is due.
        session.send(isCut ? .cut : .ended)
        session.send(.frame(at: session.now))
        session.frame()
        // A short wait at a cut is usual.
        let isUsual = isCut && wait.milliseconds == 400
        let text = session.lines.map { $0.split(separator: "│")[0] }.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(text.contains("✓ No rule") == isUsual, "\(text)")
        let sentence = "The trace ends while `request 7` has waited \(wait.text) for a continuation that nothing has resumed"
        #expect(text.contains("\(sentence), Request.swift:5") != isUsual, "\(text)")
        session.press(.character(","))
        #expect(!session.lines.contains { $0.contains("The trace ends") }, "\(session.lines)")
    }

    @Test("A wait and a run have one number on the overview, also between two updates of the findings")
    func oneNumber() throws {
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        let (holder, asks) = (trace.root("hold", on: net), [trace.root("ask", on: net), trace.root("ask again", on: net)])
        trace.enqueue(holder)
        trace.start(holder)
        for task in asks { trace.enqueue(task) }
        trace.advance(milliseconds: 3000)
        trace.mark("later")
        var session = session(trace, columns: 200, rows: 50)
        for _ in 0..<3 {
            trace.advance(milliseconds: 50)
            session.apply([TaskEvent(.mark, task: .none, at: trace.now)])
            let text = session.lines.joined(separator: "\n")
            let run = try #require(text.firstMatch(of: /`hold` has run for ([0-9.]+ s)/)).1
            let wait = try #require(text.firstMatch(of: /waits ([0-9.]+ s) ask\b/)).1
            #expect(text.contains("hold  for \(run)") && text.contains("ask again  waits \(wait)") && run == wait, "\(text)")
        }
    }

    @Test("What happened last leaves out that a group took a child's result")
    func taken() {
        var trace = TraceBuilder()
        let child = trace.create(.groupChild, "thumbnail")
        trace.start(child, .slice)
        trace.complete(child)
        trace.emit(TaskEvent(.released, task: child, detail: ReleaseManner.taken.rawValue))
        let lines = session(trace, columns: 200, rows: 50).lines
        #expect(lines.contains { $0.contains("thumbnail succeeded") } && !lines.contains { $0.contains("result taken") }, "\(lines)")
    }

    @Test("Blocks that wait are not counted as tasks", arguments: [false, true])
    func blocks(hasTask: Bool) {
        var trace = TraceBuilder()
        let queue = trace.executor("db", .queue)
        for number in 0..<13 {
            let block = trace.block("query(_:)", on: queue)
            if number == 0 { trace.start(block, on: queue) }
        }
        if hasTask {
            let task = trace.create(.unstructured, "lookUp")
            trace.start(task, .dequeued)
            trace.suspend(task, .continuation)
        }
        trace.advance(milliseconds: 3000)
        trace.mark("later")
        let lines = session(trace, columns: 120).lines
        let text = hasTask ? "No rule fired; 1 task waits, for 3.000 s: w" : "No rule fired; 12 blocks wait, the longest 3.000 s: w"
        #expect(lines.contains { $0.contains(text) }, "\(lines)")
    }

    @Test("The sentence of the worst finding is whole, however many findings there are", arguments: [80, 120])
    func wholeSentence(columns: Int) throws {
        var trace = TraceBuilder()
        let disk = trace.executor("disk", .queue)
        for number in 1...8 {
            let task = trace.root("write the changes of the user's document number \(number) to the disk", on: disk, line: UInt32(number))
            trace.enqueue(task)
            trace.start(task)
            trace.fault(task, type: "DocumentError.theDocumentWasMovedMeanwhile")
            trace.endJob(task)
            trace.release(task)
        }
        trace.advance(milliseconds: 1000)
        _ = trace.root("later")
        let session = session(trace, columns: columns)
        let groups = session.model.shared.findings.groups
        #expect(groups.count == 8)
        let sentence = session.model.overview.sentence(try #require(groups.first), session.model.shared)
        #expect(sentence.count > columns - 4)
        let words = session.lines.flatMap { $0.split { " ┃│".contains($0) } }
        #expect(words.joined(separator: " ").contains(sentence), "\(sentence)")
    }

    @Test("A closure that ran longest, or that others waited for, has its name and place")
    func closures() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.startClosure("draw(_:)", on: main, line: 29)
        let save = trace.root("save", on: main)
        trace.enqueue(save)
        trace.advance(milliseconds: 300)
        trace.endJob(.none, on: main)
        trace.run(save)
        let session = session(trace, columns: 120)
        #expect(session.lines.contains { $0.contains("save during draw(_:), which ran 300.0 ms") })
        #expect(session.lines.contains { $0.contains("longest 300.0 ms draw(_:)  main.swift:29") })
    }

    @Test("Only the executors in sight are drawn, and the selection brings the others into sight")
    func manyExecutors() {
        var trace = TraceBuilder()
        for number in 1...40 {
            let executor = trace.executor("queue \(number)", .queue)
            trace.run(trace.root("task \(number)", on: executor))
        }
        var session = session(trace)
        #expect(session.lines.contains { $0.contains("queue 1 ") } && !session.lines.contains { $0.contains("queue 40  queue") })
        session.press(.character("G"))
        #expect(session.lines.contains { $0.contains("queue 40  queue") })
    }

    @Test("A leak has one number: in the finding, among the waits, in Tasks by place, and in the report's places")
    func leak() throws {
        var trace = TraceBuilder()
        let calls = trace.code(CodeSymbol(function: "follow()", file: "Feed.swift", line: 7))
        for _ in 1...300 {
            let task = trace.create(.unstructured, "follow", line: 3)
            trace.start(task, .dequeued)
            trace.suspend(task, .continuation, in: calls)
            trace.advance(milliseconds: 20)
        }
        trace.mark("now")
        var session = session(trace, columns: 160, rows: 50)
        let overview = session.lines.joined(separator: "\n")
        #expect(overview.contains("300 tasks like `follow`") && overview.contains("300 tasks wait for a continuation"), "\(overview)")
        #expect(LiveSite.all(in: session.model.history.latest).map(\.live) == [300])
        session.press(.character("1"), .character("o"))
        #expect(session.lines.contains { $0.contains("main.swift:3") && $0.contains("300 ") }, "\(session.lines)")
    }

    @Test("Rows that neither executors nor events need go to the findings, the worst first")
    func spareRows() {
        let areas = OverviewAreas(
            Rect(column: 0, row: 0, columns: 80, rows: 20), findings: [2, 2, 3, 2, 2], executors: (main: 0, waited: 4, quiet: 1))
        #expect(areas.findingLines.map(\.finding) == [0, 0, 1, 1, 2, 2, 2, 3, 4])
        #expect(areas.findings.rows == 9 && areas.panelRows == 2 && areas.events.isEmpty)
    }

    @Test("Where not all panels have room for a picture, all executors have their most important facts in sight", arguments: [60, 80])
    func manyPanels(columns: Int) {
        var trace = TraceBuilder()
        let names = ["Oven", "Ledger", "Basket", "disk", "net"]
        for name in names {
            let executor = trace.executor(name, .actor)
            let tasks = (1...2).map { trace.root("bake \($0)", on: executor) }
            for task in tasks { trace.enqueue(task) }
            trace.advance(milliseconds: 30)
            for task in tasks { trace.run(task, milliseconds: 3) }
        }
        let session = session(trace, columns: columns, rows: 20)
        for name in names {
            let row = session.lines.firstIndex { $0.hasPrefix(" \(name) ") }
            let facts = row.map { session.lines[$0 + 1] } ?? ""
            #expect(facts.contains("worst wait 33.0 ms bake 2   longest 3.0 ms bake 1"), "\(session.lines)")
        }
    }

    @Test("The wheel scrolls what is below the mouse")
    func wheel() {
        var trace = TraceBuilder()
        for number in 1...40 {
            let executor = trace.executor("queue \(number)", .queue)
            let source = trace.source("answer \(number)", line: UInt32(number))
            trace.run(trace.root("task \(number)", on: executor))
            trace.complete(source)
            trace.completeTwice(source, isError: true)
        }
        var session = session(trace)
        let areas = (findings: session.model.overview.findings.area, quiet: session.model.overview.quiet.area)
        session.wheel(.wheelDown, at: areas.findings.origin)
        #expect(session.model.overview.findings.rows.lowerBound == 3 && session.model.overview.quiet.rows.lowerBound == 0)
        session.wheel(.wheelDown, at: areas.quiet.origin)
        #expect(session.model.overview.findings.rows.lowerBound == 3 && session.model.overview.quiet.rows.lowerBound == 3)
    }

    @Test("It does not say that no rule fired before the rules have looked")
    func beforeTheRulesHaveLooked() {
        var trace = TraceBuilder()
        let task = trace.create(.unstructured, "request 7")
        trace.start(task, .dequeued)
        trace.suspend(task, .continuation)
        trace.advance(milliseconds: 7800)
        for _ in 0..<2 * Findings.portion { trace.mark("later") }
        var session = session(trace, columns: 120)
        session.send(.look(at: session.model.history.eventCount - 1))
        session.pass(seconds: 1)
        session.send(.frame(at: session.now))
        #expect(session.model.shared.findings.list == nil)
        #expect(session.lines.contains { $0.contains("1 task waits, for 7.800 s") }, "\(session.lines)")
        #expect(!session.lines.contains { $0.contains("No rule fired") }, "\(session.lines)")
        session.frame()
        #expect(session.lines.contains { $0.contains("No rule fired; 1 task waits, for 7.800 s") }, "\(session.lines)")
    }

    @Test("Suppressed findings are told: it has no tick, and does not say that no rule found anything", arguments: [false, true])
    func suppressed(isOver: Bool) {
        var trace = TraceBuilder()
        let source = trace.source("answer")
        trace.complete(source)
        trace.completeTwice(source, isError: true)
        var session = session(trace, columns: 120)
        if isOver { session.send(.ended) }
        session.press(.character("7"), .character("s"), .character("0"))
        #expect(session.model.shared.findings.list?.suppressedCount == 1)
        #expect(session.lines.contains { $0.contains("1 finding suppressed") }, "\(session.lines)")
        #expect(!session.lines.contains { $0.contains("✓") || $0.contains("No rule") }, "\(session.lines)")
    }
}
