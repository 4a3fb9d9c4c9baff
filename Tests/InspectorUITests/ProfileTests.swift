import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The profile screen, on a recording with samples and on a trace without.
@Suite struct ProfileTests {
    /// A recording in memory.
    private final class ProfiledTrace: RecordedTrace {
        let stretch: EventStretch
        let entries: EntryTable
        let samples: ThreadProfile
        let stackNames: [CodeAddress: [CodeSymbol]]

        init(_ trace: TraceBuilder, _ samples: ThreadProfile, _ names: [CodeAddress: [CodeSymbol]]) {
            stretch = EventStretch(first: 1, events: trace.events, lanes: trace.lanes)
            entries = trace.entries
            (self.samples, stackNames) = (samples, names)
        }

        var numbers: Range<Int> { stretch.numbers }
        func stretch(at number: Int) -> EventStretch { stretch }
        func extent(at number: Int) -> EventExtent { EventExtent(numbers: numbers, kinds: .all) }
        var isComplete: Bool { true }
        var sawExit: Bool? { true }
        func refresh() -> Bool { false }
        var hasProfile: Bool { true }
        func profile() -> ThreadProfile? { samples }
        func learn(_ names: FoundNames) {}
    }

    private static func place(_ offset: UInt32) -> CodeAddress { CodeAddress(module: "/bin/app", offset: offset) }

    private static let names = [
        place(0): [CodeSymbol(function: "parse()", file: "Parser.swift", line: 9)],
        place(1): [CodeSymbol(function: "load()", file: "Store.swift", line: 20)],
        place(2): [CodeSymbol(function: "swift_job_runImpl", isMachinery: true)],
        place(3): [CodeSymbol(function: "hash()", file: "Hash.swift", line: 3)],
    ]

    /// Two tasks on one thread: `load` with three samples of `parse()` and one of `load()`, then `sum` on another executor with six of
    /// `hash()`.
    private func history(first: ExecutorKind = .global) -> (TraceHistory, load: TaskID, sum: TaskID) {
        var trace = TraceBuilder()
        trace.takeLane(thread: 7)
        let (pool, store) = (trace.executor("pool", first), trace.executor("Store", .actor))
        var tasks: [TaskID] = []
        for (name, executor) in [("load", pool), ("sum", store)] {
            let task = trace.create(.unstructured, name, on: executor, line: UInt32(tasks.count + 1))
            trace.enqueue(task)
            trace.start(task, .slice)
            trace.advance(nanoseconds: 1000)
            trace.complete(task)
            tasks.append(task)
        }
        _ = trace.code("hash()", file: "Hash.swift", line: 3, path: "/src/Hash.swift")
        var profile = ThreadProfile(hertz: 100)
        let start = trace.events.first { $0.kind == .started }?.time ?? 0
        for number in 0..<3 { profile.appendSample(of: 7, at: start + 100 * UInt64(number + 1), (0...2).map { Self.place($0) }) }
        profile.appendSample(of: 7, at: start + 500, [Self.place(1), Self.place(2)])
        for number in 0..<6 { profile.appendSample(of: 7, at: start + 1100 + 100 * UInt64(number), [Self.place(3), Self.place(2)]) }
        let history = TraceHistory(ProfiledTrace(trace, profile, Self.names))
        history.loadAll()
        return (history, tasks[0], tasks[1])
    }

    private func text(_ session: Session) -> String { session.lines.joined(separator: "\n") }

    @Test("Each call is as wide as its share, below what called it, and the selected one is told in words", arguments: [60, 80, 200])
    func tree(columns: Int) throws {
        let (history, _, _) = history()
        var session = Session(history, columns: columns, rows: 24, screen: ProfileScreen.name)
        #expect(text(session).contains("10 samples"))
        let calls = try #require(session.lines.first { $0.contains("hash()") && $0.contains("load()") })
        let load = calls.distance(from: calls.startIndex, to: try #require(calls.firstRange(of: "load()")).lowerBound)
        // The functions on top stand beside the graph on a wide terminal.
        let width = columns < FrameAreas.wideColumns ? columns : columns * 3 / 4
        #expect(abs(load - width * 6 / 10) <= 3, "\(calls)")
        #expect(session.lines.contains { $0.contains("parse()") && !$0.contains("hash()") }, "\(text(session))")
        session.press(.down, .down)
        #expect(text(session).contains("60 %  hash()  Hash.swift:3  6 samples"), "\(text(session))")
        for line in ["60.0 %  60.0 %  hash()", "30.0 %  30.0 %  parse()", "10.0 %  40.0 %  load()"] {
            #expect(session.lines.contains { $0.contains(line) }, "\(text(session))")
        }
        session.press(.up, .right, .down, .down)
        #expect(text(session).contains("30 %  parse()  Parser.swift:9  3 samples"), "\(text(session))")
    }

    @Test("The functions on top stand in a line where the graph leaves no room for a table") func functionsInALine() {
        let (history, _, _) = history()
        let session = Session(history, columns: 80, rows: 16, screen: ProfileScreen.name)
        #expect(text(session).contains("on top: hash() 60 %, parse() 30 %, load() 10 %"), "\(text(session))")
    }

    @Test("Below the graph is the source of the selected call, or of the first one below it that has a place", arguments: [120, 200])
    func source(columns: Int) {
        let (history, _, _) = history()
        var session = Session(history, columns: columns, rows: 36, screen: ProfileScreen.name)
        session.read(from: SourceTests.Files(texts: ["/src/Hash.swift": .lines(["a", "b", "hashing", "d"], isChanged: false)]))
        #expect(session.lines.contains { $0.contains("▸3 │ hashing") }, "\(text(session))")
        session.press(.down, .right)
        #expect(!text(session).contains("hashing"), "\(text(session))")
        session.press(.left, .down)
        #expect(session.lines.contains { $0.contains("Hash.swift:3  v opens it") }, "\(text(session))")
        #expect(session.lines.contains { $0.contains("60.0 %  60.0 %  hash()") }, "\(text(session))")
    }

    @Test("Enter on the call that fills the width shows the tasks of its place") func tasksOfPlace() {
        let (history, _, _) = history()
        var session = Session(history, columns: 100, rows: 24, screen: ProfileScreen.name)
        session.press(.enter)
        #expect(text(session).contains("Select a call in a task first"), "\(text(session))")
        session.press(.down, .down, .enter, .enter)
        #expect(session.model.screen == TasksScreen.name)
        #expect(text(session).contains("site:\"App/main.swift:2\"") && text(session).contains("1 of 2 tasks"), "\(text(session))")
        #expect(session.lines.contains { $0.contains("sum") } && !session.lines.contains { $0.contains(" load ") }, "\(text(session))")
    }

    @Test("Enter lets a call fill the width, Esc shows all again") func zoom() {
        let (history, _, _) = history()
        var session = Session(history, columns: 80, rows: 24, screen: ProfileScreen.name)
        session.press(.down, .right, .enter)
        #expect(text(session).contains("load #1") && !text(session).contains("sum #2"))
        session.press(.escape)
        #expect(text(session).contains("load #1") && text(session).contains("sum #2"))
    }

    @Test("s shows the samples of the selected task, chain, site and executor, with the task's five parts") func scopes() {
        let (history, load, sum) = history()
        var session = Session(history, columns: 120, rows: 24, screen: ProfileScreen.name)
        session.press(.character("s"))
        #expect(text(session).contains("all tasks  10 samples"), "nothing is selected")
        for (task, name, count, executor) in [(load, "load", 4, "pool"), (sum, "sum", 6, "Store")] {
            session.follow(task)
            session.press(.character("P"))
            for subject in ["task `\(name)`", "the chain of `\(name)`", "the tasks made where `\(name)` was", "the executor \(executor)"] {
                session.press(.character("s"))
                #expect(text(session).contains("\(subject)  \(count) samples"), "\(text(session))")
                if subject.hasPrefix("task") { #expect(text(session).contains("blocked"), "\(text(session))") }
            }
            session.press(.character("s"))
        }
    }

    @Test("p on Overview and on Executors shows what ran in the longest job of the selected executor", arguments: ["0", "3"])
    func longestJob(screen: Character) {
        let (history, _, _) = history()
        var session = Session(history, columns: 120, rows: 30, screen: ProfileScreen.name)
        session.press(.character(screen), .character("p"))
        #expect(text(session).contains("the longest job of pool, `load` for 1.0 µs  4 samples"), "\(text(session))")
        session.press(.character(screen), .character("/"))
        session.type("Store")
        session.press(.enter, .character("p"))
        #expect(text(session).contains("the longest job of Store, `sum` for 1.0 µs  6 samples"), "\(text(session))")
        session.press(.character("s"))
        #expect(text(session).contains("all tasks  10 samples"))
    }

    @Test("s shows what ran in main's longest job, though nothing is selected") func longestJobOfMain() {
        var session = Session(history(first: .main).0, columns: 120, rows: 24, screen: ProfileScreen.name)
        session.press(.character("s"))
        #expect(text(session).contains("the longest job of pool, `load` for 1.0 µs  4 samples"), "\(text(session))")
    }

    @Test("p says what takes samples where there are none") func noLongestJob() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.create(.root, "work", on: main)
        trace.enqueue(task)
        trace.start(task)
        trace.complete(task)
        var session = Session(trace, columns: 100, rows: 24, screen: ExecutorsScreen.name)
        session.press(.character("p"))
        #expect(text(session).contains("'hopscope record --profile' takes some"), "\(text(session))")
    }

    @Test("Tasks that were made at one site are one box") func oneSite() {
        var trace = TraceBuilder()
        trace.takeLane(thread: 7)
        let pool = trace.executor("pool", .global)
        var profile = ThreadProfile(hertz: 100)
        for number in 0..<5 {
            let task = trace.create(.unstructured, "request \(number)", on: pool, line: 4)
            trace.enqueue(task)
            trace.start(task, .slice)
            profile.appendSample(of: 7, at: (trace.events.last?.time ?? 0) + 100, [Self.place(3), Self.place(2)])
            trace.advance(nanoseconds: 1000)
            trace.complete(task)
        }
        let history = TraceHistory(ProfiledTrace(trace, profile, Self.names))
        history.loadAll()
        var session = Session(history, columns: 80, rows: 24, screen: ProfileScreen.name)
        session.press(.down)
        #expect(text(session).contains("100 %  request 0 #1 and 4 more  App/main.swift:4  5 samples"), "\(text(session))")
    }

    @Test("A trace without samples has the parts of the tasks of each place, and says what takes samples") func withoutSamples() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.create(.root, "work", on: main, line: 4)
        trace.enqueue(task)
        trace.advance(milliseconds: 2)
        trace.start(task)
        trace.advance(milliseconds: 3)
        trace.complete(task)
        let session = Session(trace, columns: 100, rows: 24, screen: ProfileScreen.name)
        #expect(text(session).contains("'hopscope record --profile' takes samples"))
        #expect(session.lines[23].hasPrefix(" ↑↓ select  Enter open") && !session.lines[23].contains("zoom"), "\(session.lines[23])")
        #expect(session.lines.contains { $0.contains(":4") && $0.contains("3.0 ms") && $0.contains("2.0 ms") }, "\(text(session))")
    }

    @Test("In a trace without samples, / finds a site and v opens it") func sitesWithoutSamples() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        for line in [4, 9] as [UInt32] { trace.run(trace.root("work", on: main, line: line), milliseconds: 10 - UInt64(line)) }
        var session = Session(trace, columns: 100, rows: 24, screen: ProfileScreen.name)
        session.press(.character("/"))
        session.type("swift:9")
        #expect(session.lines.contains { $0.contains("/swift:9") && $0.contains("row 2 of 2") }, "\(text(session))")
        session.press(.enter)
        #expect(session.model[ProfileScreen.self].pane.selected == 1)
        session.press(.character("v"))
        #expect(session.lines[23].contains("The path of App/main.swift:9 is not known"), "\(text(session))")
    }

    @Test("A function of the runtime that starts jobs is no part of a task, and a witness is called after its method")
    func functionsOfTheRuntime() {
        let starts = [
            "swift_job_runImpl", "swift::runJobInEstablishedExecutorContext(swift::Job*)",
            "(anonymous namespace)::ProcessOutOfLineJob::process(swift::Job*)", "defaultActorDrain(swift::DefaultActorImpl*)",
        ]
        for function in starts { #expect(SampledStacks.startsJobs(function), "\(function)") }
        #expect(!SampledStacks.startsJobs("parse()"))
        let witness = "protocol witness for Clock.now.getter in conformance ContinuousClock"
        #expect([witness, "parse()"].map { FlameTree.shortened($0) } == ["witness of Clock.now.getter", "parse()"])
    }
}
