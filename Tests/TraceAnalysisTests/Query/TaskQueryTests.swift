import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@Suite struct TaskQueryTests {
    /// Tasks of every kind and state, by number.
    private static func trace() -> TraceBuilder {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net queue", .queue))
        let save = trace.root("saveRecord", on: net, line: 12)  // 1: faulted, 30 ms in all, 20 ms busy, 10 ms queued
        trace.enqueue(save)
        trace.advance(milliseconds: 10)
        trace.start(save)
        trace.advance(milliseconds: 20)
        trace.fault(save, type: "KinesisError", message: "throttled")
        trace.endJob(save)
        let submit = trace.continuation("submit all", of: save, on: net, line: 13)  // 2: skipped
        trace.skip(submit)
        let report = trace.continuation("Report", of: submit, on: main, line: 14)  // 3: succeeded on main, one hop
        trace.hop(report, from: net)
        trace.run(report, after: 1, milliseconds: 1)
        let source = trace.source("saving", line: 20)  // 4: pending
        _ = trace.join("whenAll", of: [source, report], line: 21)  // 5: pending
        let unnamed = trace.create(.delay)  // 6: cancelled
        trace.cancel(unnamed)
        trace.completeTwice(source, isError: true)
        return trace
    }

    @Test(
        "An asynchronous main that has ended its program is no running task",
        arguments: [
            ("running", false, [1, 2]), ("running", true, [2]), ("live", true, [2, 3]), ("ended", true, [1]), ("ended", false, []),
        ])
    func finishedMain(state: String, isOver: Bool, numbers: [UInt64]) throws {
        var trace = TraceBuilder()
        let main = trace.reserveTask()
        let code = trace.label("main", code: trace.code("static App.main()"))
        trace.emit(TaskEvent(.created, task: main, label: code, detail: TaskKind.main.rawValue))
        for task in [main, trace.create(.unstructured, "worker")] { trace.start(task, .slice) }
        if state == "live" { _ = trace.create(.unstructured, "waiter") }
        let store = trace.store()
        if isOver { store.end = .exit }
        #expect(TaskQueryMatcher(try TaskQuery("state:\(state)"), in: store).tasks().map(\.rawValue) == numbers)
        #expect(TaskQueryMatcher(try TaskQuery("-state:\(state)"), in: store).tasks().allSatisfy { !numbers.contains($0.rawValue) })
    }

    /// The numbers of the matching tasks.
    private static func fitting(_ text: String) throws -> [UInt64] {
        let store = trace().store()
        let warnings = WarningIndex(WarningEngine().list(in: store, isOver: true))
        let matcher = TaskQueryMatcher(try TaskQuery(text), in: store, warnings: warnings)
        return matcher.tasks().map(\.rawValue)
    }

    @Test(
        "A query selects the tasks that match",
        arguments: [
            ("", [1, 2, 3, 4, 5, 6]), ("  ", [1, 2, 3, 4, 5, 6]),
            ("state:faulted", [1, 2]), ("state:faulted,cancelled", [1, 2, 6]), ("STATE:Pending", [4, 5]), ("state:live", [4, 5]),
            ("state:ended", [1, 2, 3, 6]), ("state:skipped", [2]), ("-state:skipped state:faulted", [1]), ("!state:live", [1, 2, 3, 6]),
            ("state:faul", [1, 2]), ("state:PE", [4, 5]), ("state:s", [2, 3]), ("-state:pend", [1, 2, 3, 6]), ("warn:swal", [1]),
            ("kind:join", [5]), ("kind:root,source", [1, 4]),
            ("on:main", [3]), ("on:\"net queue\"", [1, 2]), ("on:net*", [1, 2]), ("on~QUEUE", [1, 2]), ("on:net", []),
            ("-on:main", [1, 2, 4, 5, 6]),
            ("name~save", [1]), ("name~SAV", [1, 4]), ("name:saving", [4]), ("name:sav*", [1, 4]), ("name~\"submit all\"", [2]),
            ("name:report,saving", [3, 4]), ("name~\"task 6\"", [6]),
            ("site~:12", [1]), ("site:*:2?", [4, 5]), ("site~nowhere", []),
            ("error~throttled", [1, 2]), ("-error~throttled", [3, 4, 5, 6]), ("error:KinesisError.throttled", [1, 2]),
            ("id:3", [3]), ("id:3,4", [3, 4]), ("id>4", [5, 6]), ("id>=4", [4, 5, 6]), ("id<2", [1]), ("id<=2", [1, 2]),
            ("chain:1", [1, 2, 3]), ("-chain:1", [4, 5, 6]),
            ("total>29ms", [1]), ("total>30ms", []), ("total>=30ms", [1]), ("total:30ms", [1]), ("busy>1ms", [1]), ("busy:1ms", [3]),
            ("queued>=1ms", [1, 3]), ("queued>1ms", [1]), ("queued>0.0015s", [1]), ("suspended>0ns", []),
            ("hops:1", [3]), ("hops>1", []), ("next:1", [1, 2, 3, 4]), ("next>0 kind:root", [1]),
            ("warn:any", [1, 4]), ("warn:none", [2, 3, 5, 6]), ("-warn:none", [1, 4]), ("warn:swallowed-error", [1]),
            ("warn:main-stall", []), ("warn:main-stall,completed-twice", [4]),
            ("save", [1]), ("throttled", [1, 2]), ("\"submit all\"", [2]), ("submit all", [2]), ("main.swift", []), ("skipped", [2]),
            ("faulted", [1]),
            ("-main", [1, 2, 4, 5, 6]),
            ("net state:faulted -name~submit", [1]), ("\"state:faulted\"", []), ("-\"save\"", [2, 3, 4, 5, 6]), ("-", []),
        ] as [(String, [UInt64])])
    func matches(text: String, tasks: [UInt64]) throws {
        #expect(try Self.fitting(text) == tasks)
    }

    @Test(
        "A query that cannot be parsed is refused with the place and the permitted words",
        arguments: [
            ("stat:faulted", 0..<4, "There is no field 'stat'; the fields are state, kind"),
            ("save state:faultet", 11..<18, "'faultet' is no state; there are pending, queued"),
            ("name>3", 0..<6, "'name>' asks for nothing; write name:, name~."),
            ("total~3ms", 0..<9, "write total:, total>, total<, total>=, total<=."),
            ("total>10", 6..<8, "'10' is not a duration with its unit: total>10ms."),
            ("a total>fast", 8..<12, "'fast' is not a duration"),
            ("id:x", 3..<4, "'x' is not a whole number: id:12."),
            ("-hops>-1", 6..<8, "'-1' is not a whole number"),
            ("on:", 0..<3, "'on:' wants a value: on:main."),
            ("id:1,,2", 0..<7, "'id:' wants a value"),
            ("name~\"save", 5..<10, "This quote has no end"),
            ("é state:x", 8..<9, "'x' is no state"),
            ("warn:none,any", 5..<13, "'none' cannot be combined with rules"),
            ("warn:stall", 5..<10, "'stall' is no warn; there are any, none, wait-cycle"),
        ])
    func errors(text: String, range: Range<Int>, sentence: String) throws {
        let error = #expect(throws: QueryError.self) { try TaskQuery(text) }
        #expect(error?.range == range)
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "nothing")")
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test("Any text is parsed or refused with a place inside it", arguments: 1...20)
    func anyText(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = ["state", ":", "~", ">", "<=", "\"", ",", "-", "!", " ", "faulted", "10ms", "id", "é", "👩‍👩‍👧", "\u{1B}", "on"]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
            do throws(QueryError) {
                let query = try TaskQuery(text)
                #expect(query.text == text)
            } catch {
                #expect(error.range.upperBound <= text.count && !error.range.isEmpty && error.description.hasSuffix("."))
            }
        }
    }

    @Test("A query also tests tasks and names that arrive later")
    func later() throws {
        var trace = Self.trace()
        let store = trace.store()
        let matcher = TaskQueryMatcher(try TaskQuery("name~save"), in: store)
        #expect(matcher.tasks().map(\.rawValue) == [1])
        let events = trace.events.count
        _ = trace.source("saveAgain")
        store.entries = trace.entries
        store.apply(trace.events[events...])
        #expect(matcher.tasks().map(\.rawValue) == [1, 7])
    }

    // MARK: Completion

    private static func completions(_ text: String) -> [String] {
        let store = trace().store()
        return TaskQuery.completions(of: text, in: store).map { $0.applied(to: text).text }
    }

    @Test(
        "Completion offers the words that may follow",
        arguments: [
            ("st", ["state:"]), ("s", ["state:", "site~", "suspended>"]), ("-st", ["-state:"]), ("on:m", ["on:main"]),
            ("on:", ["on:main", "on:\"net queue\""]), ("state:f", ["state:faulted"]), ("state:faulted,c", ["state:faulted,cancelled"]),
            ("x name~sav", ["x name~saveRecord", "x name~saving"]), ("name:sub", ["name:\"submit all\""]), ("state:faulted", []),
            ("warn:main", ["warn:main-stall"]), ("id:", []), ("zzz", []), ("name~\"", []),
            ("total>", ["total>1ms", "total>10ms", "total>100ms", "total>1s"]),
        ])
    func completes(text: String, expected: [String]) {
        #expect(Self.completions(text) == expected)
    }

    @Test("Completion after a blank offers every field")
    func fields() {
        #expect(Self.completions("").count == 12)
        #expect(Self.completions("state:faulted ").first == "state:faulted state:")
    }

    @Test("Completion in the middle of a text replaces the word before the cursor only")
    func middle() throws {
        let text = "state:fa on:main"
        let completion = try #require(TaskQuery.completions(of: text, at: 8, in: Self.trace().store()).first)
        let applied = completion.applied(to: text)
        #expect(applied.text == "state:faulted on:main" && applied.cursor == 13)
    }

    @Test func aQueryAboutJobsBecomesACondition() throws {
        let condition = try TaskQuery("throttled name~save,load -on:main site:*.swift:12 id:4 chain:3,5").jobCondition()
        #expect(
            condition.terms == [
                .init(.any, isPart: true, ["throttled"]), .init(.name, isPart: true, ["save", "load"]),
                .init(.executor, isNegated: true, ["main"]), .init(.site, ["*.swift:12"]), .init(.task, ["4"]), .init(.chain, ["3", "5"]),
            ])
    }

    @Test(arguments: ["", "state:queued", "kind:join", "warn:any", "total>1ms", "id>4", "hops:2", "error~x"])
    func aFieldThatIsKnownLaterIsRefusedWithThePermittedFields(text: String) throws {
        let error = #expect(throws: QueryError.self) { try TaskQuery(text).jobCondition() }
        #expect(error?.description.contains("name") == true || error?.description.contains("id:") == true)
    }
}
