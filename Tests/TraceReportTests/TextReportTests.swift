import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceReport

@Suite struct TextReportTests {
    private static func text(of store: TraceStore, end: TraceEnd = .open) -> String {
        store.end = end
        var text = ""
        Report(of: store, program: "p").writeText(to: &text)
        return text
    }

    @Test("The complete report of a small trace has this text")
    func golden() {
        #expect(
            SampleTrace.text(of: SampleTrace.make()) == """
                kinesis-save-fails   13.8 ms   9 tasks   31 events   none lost
                  ○ 1 pending   ✓ 2 succeeded   ✗ 5 faulted tasks   ⊖ 1 cancelled

                2 findings: 2 errors

                  error: unobserved-fault at App/main.swift:20
                    `request\\u{1B}[2J` failed with Timeout(after: 3), and the error was never read. It was passed on
                    to 1 more task, and was never read there either.
                  error: unobserved-fault at App/main.swift:21
                    `zweite Anfrage` failed with NSError: The server\\nsaid no., and the error was never read. It was
                    passed on to 1 more task, and was never read there either.

                3 faults, 2 unread: 2 unobserved, 1 recovered

                  KinesisError.throttled at 12.4 ms: recovered
                    ✗ faulted    1  saveRecord        net       12.1 ms  error thrown, waited 0.3 ms
                    ⊘ skipped    2  submitAllRecords  net             –  error forwarded
                    ✓ succeeded  3  report            net→main   0.2 ms  read the error, recovered, waited 1.1 ms

                  Timeout(after: 3) at 13.8 ms: unobserved
                    ✗ faulted    5  request\\u{1B}[2J                  –  error thrown
                    ✗ faulted    7  whenAll                           –  error never read

                  NSError: The server\\nsaid no. at 13.8 ms: unobserved
                    ✗ faulted    6  zweite Anfrage                    –  error injected
                    ✗ faulted    7  whenAll                           –  error never read

                1 cancellation

                  at 13.8 ms: its token was cancelled
                    ⊖ cancelled  8  late  ended as cancelled at once

                Where the time went

                  tasks made at      tasks  running  blocked   queued  awaiting
                  App/main.swift:12      1  12.1 ms     0 ns   0.3 ms      0 ns
                  App/main.swift:14      1   0.2 ms     0 ns   1.1 ms      0 ns
                  App/main.swift:15      1  40.0 µs     0 ns  50.0 µs      0 ns

                3 executors

                  executor  kind     jobs  deepest  wait p50  wait p99     busy  longest
                  main      main        1        1    1.1 ms    1.1 ms   0.2 ms   0.2 ms
                  net       queue       2        1   50.0 µs    0.3 ms  12.1 ms  12.1 ms
                  default   default     0        0         –         –     0 ns        –

                2 hops

                  from  to    hops  wait p50  wait p99  classes
                  net   main     1    1.1 ms    1.1 ms  bounce
                  main  net      1   50.0 µs   50.0 µs  bounce

                """)
    }

    @Test("A group's parent that ran after its child had failed may have read the error, also if it never ended", arguments: [true, false])
    func openParent(hasRun: Bool) {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let parent = trace.create(.root, "parent", on: main)
        trace.start(parent, .slice)
        let child = trace.create(.groupChild, "child", of: [parent], on: main)
        trace.suspend(parent, .group)
        trace.start(child, .slice)
        trace.advance(milliseconds: 1)
        trace.fault(child, type: "Boom")
        if hasRun { trace.start(parent, .slice) }
        let store = trace.store()
        store.end = .exit
        var text = ""
        Report(of: store, program: "app").writeText(to: &text)
        #expect(text.contains("unknown whether it read the error") == hasRun, "\(text)")
        #expect(text.contains("had not got the error") != hasRun, "\(text)")
    }

    @Test("With a profile, the table tells the time on a processor and the time without one apart")
    func profiled() {
        var trace = TraceBuilder()
        trace.takeLane(thread: 42)
        let workers = trace.executor("workers", .custom)
        let task = trace.create(.unstructured, "work", on: workers, line: 12)
        trace.start(task, .slice)
        trace.advance(milliseconds: 10)
        trace.complete(task)
        var profile = ThreadProfile(hertz: 99)
        for (time, kind) in [(0, .resumed), (2, .preempted), (5, .resumed), (8, .waited)] as [(UInt64, ThreadProfile.Kind)] {
            profile.append(.init(time: time * 1_000_000, thread: 42, kind: kind))
        }
        profile.append(.init(time: 1_200_000_000, thread: 0, kind: .unswitched, value: 73_000))
        var steps = TaskSteps()
        steps.add(EventStretch(first: 1, events: trace.events, lanes: trace.lanes))
        steps.threadTimes = ThreadTimes(profile)
        var text = ""
        Report(of: trace.store(), program: "app", steps: steps).writeText(to: &text)
        #expect(
            text.contains(
                """
                  tasks made at      tasks  on cpu  runnable  blocked  queued  awaiting
                  App/main.swift:12      1  5.0 ms    3.0 ms   2.0 ms    0 ns      0 ns

                  From 1.200 s on, it is unknown which threads had a processor: 73000 switches a second are more than '--profile-switches' allows.
                """), "\(text)")
    }

    @Test("The ASCII report has only ASCII characters and the same lines")
    func ascii() {
        let text = SampleTrace.text(of: SampleTrace.make(), isASCII: true)
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(text.contains("    + succeeded  3  report            net->main   0.2 ms  read the error, recovered, waited 1.1 ms\n"))
    }

    @Test("An empty trace has a report of a few lines")
    func empty() {
        #expect(
            SampleTrace.text(of: TraceBuilder()) == """
                kinesis-save-fails   0 ns   no tasks   no events   none lost

                No findings

                No faults

                No hops

                """)
    }

    @Test("Tasks that are open at the end are listed with what holds them, each explained once")
    func open() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let source = trace.source("receipt", line: 18)
        _ = trace.continuation("print", of: source, on: net, line: 19)
        trace.advance(milliseconds: 5)
        trace.mark("end")
        #expect(!Self.text(of: trace.store()).contains("open at exit"))
        #expect(
            Self.text(of: trace.store(), end: .exit).contains(
                """
                2 tasks open at exit

                  `receipt` at main.swift:18, task 1: nothing has set it for 5.0 ms

                  `print` at main.swift:19, task 2: continues `receipt`, for 5.0 ms
                    `receipt` at main.swift:18, task 1: see above

                """))
    }

    @Test("A task without a name is called by its number once")
    func unnamed() {
        var trace = TraceBuilder()
        _ = trace.create(.source)
        trace.advance(milliseconds: 5)
        trace.mark("end")
        let text = Self.text(of: trace.store(), end: .exit)
        #expect(text.contains("\n  `task 1`: nothing has set it for 5.0 ms\n"), "\(text)")
    }

    @Test("A report of a trace that ends before the program says until when, and nothing of an exit")
    func cut() {
        var trace = TraceBuilder()
        let source = trace.source("receipt")
        trace.advance(milliseconds: 5)
        trace.fault(trace.root("save"), type: "Boom")
        _ = source
        let store = trace.store()
        let text = Self.text(of: store, end: .cut)
        #expect(text.hasPrefix("p   until 5.0 ms   "))
        #expect(text.contains("1 fault: 1 pending"))
        #expect(!text.contains("at exit") && !text.contains(": unobserved"))
        var json = ""
        Report(of: store, program: "p").writeJSON(to: &json)
        #expect(json.contains(#""ended":false"#) && json.contains(#""verdict":"pending""#))
        #expect(json.contains(#"{"checked":false,"rule":"unobserved-fault","why":"the trace does not show the program's end"}"#))
    }

    @Test("Open tasks of one place that wait for the same are listed once, with their number")
    func openAlike() {
        var trace = TraceBuilder()
        for _ in 0..<1_000 { _ = trace.source("receipt", line: 18) }
        let other = trace.source("bill", line: 20)
        for _ in 0..<3 { _ = trace.continuation("print", of: other, line: 21) }
        trace.complete(trace.root("root"))
        trace.advance(milliseconds: 5)
        trace.mark("end")
        let text = Self.text(of: trace.store(), end: .exit)
        #expect(text.contains("\n  1,004 open at exit   ✓ 1 succeeded\n"))
        #expect(
            text.contains(
                """
                1,004 tasks open at exit

                  `receipt` at main.swift:18, task 1 and 999 more like it: nothing has set it for 5.0 ms

                  `bill` at main.swift:20, task 1001: nothing has set it for 5.0 ms

                  `print` at main.swift:21, task 1002 and 2 more like it: continues `bill`, for 5.0 ms
                    `bill` at main.swift:20, task 1001: see above

                """))
    }

    @Test("A report without findings says how many the settings suppress")
    func suppressed() throws {
        var trace = TraceBuilder()
        trace.fault(trace.root("probe 1"), type: "Boom")
        let store = trace.store()
        store.end = .exit
        var settings = WarningSettings()
        try settings.suppress("unobserved-fault:probe*")
        var text = ""
        Report(of: store, program: "p", warnings: WarningEngine(settings: settings).list(in: store, isOver: true)).writeText(to: &text)
        #expect(text.contains("\nNo findings\n  1 finding suppressed by the settings\n"), "\(text)")
    }

    @Test("A report says that records were lost")
    func gaps() {
        var trace = TraceBuilder()
        trace.lose(1_200)
        let unseen = trace.reserveTask()
        trace.complete(unseen)
        let text = SampleTrace.text(of: trace)
        #expect(text.contains("1,200 lost\n"))
        #expect(text.contains("  ! 1,200 records were lost: what they recorded is missing below.\n"))
        #expect(text.contains("  ! 1 task is known only in part: the creation was not seen.\n"))
    }

    @Test("A report says that evicted tasks are missing")
    func evicted() {
        var trace = TraceBuilder()
        for _ in 0..<3 { trace.complete(trace.root("root")) }
        var text = ""
        Report(of: trace.store(retention: Retention(endedTasks: 1)), program: "p").writeText(to: &text)
        #expect(text.contains("3 tasks"))
        #expect(text.contains("  ! 2 ended tasks counted above, but not kept.\n"))
    }

    @Test("A long path is cut in the middle, a long list of faults at the end")
    func cuts() {
        var trace = TraceBuilder()
        for _ in 0..<25 {
            var last = trace.root("root")
            trace.fault(last, type: "Boom")
            for _ in 0..<39 {
                last = trace.continuation("next", of: last)
                trace.skip(last)
            }
        }
        let lines = SampleTrace.text(of: trace).split(separator: "\n")
        #expect(lines.filter { $0 == "    … 16 more tasks" }.count == 20)
        #expect(lines.filter { $0.hasPrefix("    ✗") || $0.hasPrefix("    ⊘") }.count == 20 * 24)
        #expect(lines.contains("  … and 5 more faults"))
        #expect(lines.contains("25 faults, 25 unread: 25 unobserved"))
    }

    @Test("No line is longer than 100 columns or has control characters")
    func width() {
        let long = String(repeating: "a long name, ", count: 30) + "\u{1B}[31m\u{202E}\r\n"
        var trace = TraceBuilder()
        let queue = trace.executor(long, .queue)
        let other = trace.executor("other " + long, .pool)
        let root = trace.root(long, on: queue)
        trace.run(root)
        let next = trace.continuation(long, of: root, on: other)
        trace.hop(next, from: queue)
        trace.enqueue(next)
        trace.start(next)
        trace.fault(next, type: long, message: long)
        trace.endJob(next)
        var text = ""
        Report(of: trace.store(), program: long).writeText(to: &text)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control && $0 != "\u{202E}" })
    }
}
