import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@testable import TraceReport

@Suite struct CheckTests {
    private static let rules = ["unobserved-fault", "swallowed-error"]

    /// The findings of the rules about faults.
    private static func findings(_ store: TraceStore) -> [ReportedFinding] {
        let list = WarningEngine().list(in: store, isOver: true)
        return ReportedFinding.all(of: list, in: store).filter { rules.contains($0.rule) }
    }

    private static func result(_ trace: TraceBuilder, _ failOn: FailOn = .all, program: String = "app") -> CheckResult {
        let store = trace.store()
        return CheckResult(
            of: store, program: program, rules: rules, findings: findings(store), failOn: failOn)
    }

    private static func text(_ format: CheckResult.Format, of result: CheckResult) -> String {
        var text = ""
        result.write(format, to: &text)
        return text
    }

    /// An unobserved error, a swallowed one and a read one.
    private static func faults(afterLosing lost: UInt64 = 0) -> TraceBuilder {
        var trace = TraceBuilder()
        if lost > 0 {
            trace.lose(lost)
            trace.advance(nanoseconds: 1)
        }
        let queue = trace.executor("queue", .queue)
        let save = trace.root("save <1>", line: 12)
        trace.fault(save, type: "Boom", message: "a & b")
        trace.skip(trace.continuation("submit", of: save, line: 13))
        let load = trace.root("load", line: 20)
        trace.fault(load, type: "Timeout")
        trace.run(trace.continuation("ignore", of: load, on: queue, line: 21))
        let read = trace.root("read")
        trace.fault(read, type: "Boom")
        trace.readError(of: read)
        return trace
    }

    @Test("The text names the rule, the place and the evidence of each finding")
    func text() {
        #expect(
            Self.text(.text, of: Self.result(Self.faults())) == """
                error: unobserved-fault: save <1> (1) at App/main.swift:12: `save <1>` failed with Boom: a & b, and the error was never read. It was passed on to 1 more task, and was never read there either.
                    save <1> (1): faulted at 0 ns
                    submit (2): faulted at 0 ns
                warning: swallowed-error: load (3) at App/main.swift:20: `load` failed with Timeout, and `ignore` ran on it without reading it.
                    load (3): faulted at 0 ns
                    ignore (4): started on queue at 0 ns
                app: failed, 2 findings (5 tasks, 2 rules)

                """)
        #expect(Self.text(.text, of: Self.result(TraceBuilder())) == "app: passed (no tasks, 2 rules)\n")
    }

    @Test("The number of tasks is that of the look where the program left no trace, and no number if nothing is known of them")
    func tasksOfALook() {
        let texts = [14, 1, 0].map { count in
            Self.text(.text, of: CheckResult(program: "app", rules: ["hang"], findings: [], failOn: .all, tasks: count))
        }
        #expect(
            texts == ["app: passed (14 tasks, 1 rule)\n", "app: passed (1 task, 1 rule)\n", "app: passed (no tasks, 1 rule)\n"])
        let unknown = CheckResult(program: "app", rules: ["hang"], findings: [], failOn: .all, tasks: nil)
        #expect(Self.text(.text, of: unknown) == "app: passed (1 rule)\n")
    }

    @Test("The text marks findings that do not fail the check, and reports missing records")
    func notes() throws {
        let result = Self.result(Self.faults(afterLosing: 7), try FailOn(["swallowed-error"], known: Self.rules))
        let lines = Self.text(.text, of: result).split(separator: "\n")
        #expect(lines[0].hasPrefix("note: unobserved-fault: "))
        #expect(
            lines.suffix(2) == [
                "app: failed, 1 finding, 1 noted (5 tasks, 2 rules)", "7 records lost: what they recorded was not checked.",
            ])
    }

    @Test("A check fails on the selected rules only")
    func failing() throws {
        let rules = Self.rules
        #expect(Self.result(Self.faults(), .all).hasFailed)
        #expect(!Self.result(Self.faults(), .none).hasFailed)
        #expect(Self.result(Self.faults(), try FailOn(["unobserved-fault"], known: rules)).hasFailed)
        #expect(!Self.result(TraceBuilder(), .all).hasFailed)
        #expect(try FailOn([], known: rules) == .all && FailOn(["none"], known: rules) == .none && FailOn(["all"], known: rules) == .all)
        #expect(try FailOn(rules, known: rules) == .rules(Set(rules)))
    }

    @Test("A rule that the check does not know is refused with a sentence", arguments: [["main-stall"], ["unobserved-fault", "none"]])
    func unknown(words: [String]) {
        let error = #expect(throws: UnknownRule.self) { try FailOn(words, known: Self.rules) }
        #expect(error?.word == words.last)
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test("The last line, JSON and JUnit name the rules that could not be checked, and a required rule among them is an error")
    func unchecked() {
        func results(_ trace: TraceBuilder, without routes: TraceRoutes) -> CheckResults {
            let store = trace.store()
            store.entries.append(.swiftRoutes(TraceRoutes.all.subtracting(routes)))
            let list = WarningEngine().list(in: store, isOver: true)
            return CheckResults(
                CheckResult(
                    of: store, program: "app", rules: WarningRules.all.map(\.id), findings: ReportedFinding.all(of: list, in: store),
                    failOn: .all,
                    checks: list.checks))
        }
        func text(_ results: CheckResults, _ format: CheckResult.Format) -> String {
            var text = ""
            results.write(format, to: &text)
            return text
        }
        let unread = "unobserved-fault"
        let blind = results(Self.faults(), without: .read)
        let reason = "the trace does not show which task reads a value"
        #expect(!blind.hasFailed)
        #expect(text(blind, .text).split(separator: "\n").last == "Not checked: unobserved-fault, swallowed-error (\(reason)).")
        #expect(text(blind, .json).contains(#"{"rule":"unobserved-fault","fails":true,"findings":0,"checked":false,"why":"\#(reason)"}"#))
        #expect(text(blind, .junit).contains("<testcase classname=\"unobserved-fault\" name=\"not checked\">\n      <skipped message="))
        #expect(blind.missing([unread]) == ["unobserved-fault could not be checked in app: \(reason)."])
        #expect(blind.missing(["main-stall"]).isEmpty)

        let whole = results(Self.faults(), without: [])
        #expect(whole.missing([unread]).isEmpty)
        #expect(!text(whole, .text).contains("Not checked"))
        let lost = results(Self.faults(afterLosing: 7), without: [])
        #expect(text(lost, .text).split(separator: "\n").last?.hasSuffix("(7 records were lost).") == true)
        #expect(lost.missing([unread]) == ["unobserved-fault could not be checked in app: 7 records were lost."])
    }

    @Test("The JSON always has all keys")
    func json() throws {
        #expect(
            Self.text(.json, of: Self.result(Self.faults(), .none)) == #"""
                {"format":1,"program":"app","failed":false,"tasks":5,"open":null,"lost":0,"evicted":0,"rules":[\#
                {"rule":"unobserved-fault","fails":false,"findings":1,"checked":true,"why":null},\#
                {"rule":"swallowed-error","fails":false,"findings":1,"checked":true,"why":null}],"findings":[
                {"rule":"unobserved-fault","severity":"error","fails":false,"task":1,"name":"save <1>","site":"App/main.swift:12",\#
                "message":"`save <1>` failed with Boom: a & b, and the error was never read. It was passed on to 1 more task, and was never read there either.",\#
                "evidence":[{"task":1,"text":"faulted at 0 ns"},{"task":2,"text":"faulted at 0 ns"}]},
                {"rule":"swallowed-error","severity":"warning","fails":false,"task":3,"name":"load","site":"App/main.swift:20",\#
                "message":"`load` failed with Timeout, and `ignore` ran on it without reading it.",\#
                "evidence":[{"task":3,"text":"faulted at 0 ns"},{"task":4,"text":"started on queue at 0 ns"}]}],"others":[]}

                """#)
        #expect(
            try JSONObject(Self.text(.json, of: Self.result(HostileTrace.make()))).list("findings").count
                == HostileTrace.names.count)
    }

    @Test("In the JUnit XML a rule without findings passes, and a finding fails or passes with a note")
    func junit() throws {
        let failOn = try FailOn(["unobserved-fault"], known: Self.rules)
        #expect(
            Self.text(.junit, of: Self.result(Self.faults(), failOn)) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="hopscope check" tests="2" failures="1" errors="0">
                  <testsuite name="app" tests="2" failures="1" errors="0" skipped="0" time="0.001000000">
                    <testcase classname="unobserved-fault" name="save &lt;1&gt; (1)" file="App/main.swift" line="12">
                      <failure message="`save &lt;1&gt;` failed with Boom: a &amp; b, and the error was never read. It was passed on to 1 more task, and was never read there either." type="unobserved-fault">
                save &lt;1&gt; (1): faulted at 0 ns
                submit (2): faulted at 0 ns</failure>
                    </testcase>
                    <testcase classname="swallowed-error" name="load (3)" file="App/main.swift" line="20">
                      <system-out>`load` failed with Timeout, and `ignore` ran on it without reading it.
                load (3): faulted at 0 ns
                ignore (4): started on queue at 0 ns</system-out>
                    </testcase>
                  </testsuite>
                </testsuites>

                """)
        #expect(
            Self.text(.junit, of: Self.result(TraceBuilder())).contains("<testcase classname=\"swallowed-error\" name=\"no findings\"/>"))
    }

    @Test("A trace that ends in the middle of waits is no clean pass: the result says what was open, and does not fail")
    func openTasks() throws {
        var trace = TraceBuilder()
        for _ in 0..<3 { _ = trace.continuation("print", of: trace.source("receipt", line: 18), line: 19) }
        trace.advance(milliseconds: 5)
        trace.mark("end")
        func result(_ end: TraceEnd) -> CheckResult {
            let store = trace.store()
            store.end = end
            return CheckResult(of: store, program: "app", rules: Self.rules, findings: [], failOn: .all)
        }
        let open = result(.exit)
        #expect(!open.hasFailed)
        let text = Self.text(.text, of: open)
        #expect(
            text == """
                app: passed, but 6 tasks were open at exit (6 tasks, 2 rules)
                Open: receipt (1) at App/main.swift:18 and 2 more like it: nothing has set it for 5.0 ms.
                Open: print (2) at App/main.swift:19 and 2 more like it: continues `receipt`, for 5.0 ms.

                """)
        #expect(try JSONObject(Self.text(.json, of: open)).fields["open"] as? Int == 6)
        #expect(Self.text(.junit, of: open).contains("    <system-out>6 tasks were open at exit:\nreceipt (1) at App/main.swift:18"))
        #expect(Self.text(.text, of: result(.cut)) == "app: passed (6 tasks, 2 rules)\n")
    }

    @Test("A trace that ends before the program has not passed the rules that need the end", arguments: ["unobserved-fault", "fan-out"])
    func cut(rule: String) throws {
        var trace = TraceBuilder()
        _ = trace.source("receipt")
        trace.advance(milliseconds: 5)
        trace.mark("end")
        let store = trace.store()
        store.end = .cut
        let checks = WarningEngine().list(in: store, isOver: false).checks
        let rules = checks.map(\.rule)
        let result = CheckResult(
            of: store, program: "app", rules: rules, findings: [], failOn: try FailOn([rule], known: rules), checks: checks)
        let text = Self.text(.text, of: result)
        #expect(!result.hasFailed)
        let verdict = rule == "fan-out" ? "passed" : "no verdict, nothing found until 5.0 ms: the trace ends before the program"
        #expect(text.hasPrefix("app: \(verdict) (1 task, "), "\(text)")
    }

    @Test("SARIF has a run per process, each finding with its level and its place")
    func sarif() throws {
        let failOn = try FailOn(["unobserved-fault"], known: Self.rules)
        let results = CheckResults(Self.result(Self.faults(), failOn), others: [Self.result(TraceBuilder(), program: "tool")])
        var text = ""
        results.write(.sarif, to: &text)
        let log = try JSONObject(text)
        #expect(log.text("version") == "2.1.0" && log.list("runs").map { $0.list("results").count } == [2, 0])
        let found = log.list("runs")[0].list("results")
        #expect(found.map { $0.text("ruleId") } == Self.rules && found.map { $0.text("level") } == ["error", "note"])
        #expect(
            text.contains(
                #""locations":[{"physicalLocation":{"artifactLocation":{"uri":"App/main.swift"},"region":{"startLine":12}}}]"#))
        let hostile = try JSONObject(Self.text(.sarif, of: Self.result(HostileTrace.make())))
        #expect(hostile.list("runs")[0].list("results").count == HostileTrace.names.count)
    }

    @Test("Text, JSON, JUnit and SARIF name one place of a finding: its own, and not where its task was made")
    func onePlace() throws {
        let task = TaskID(rawValue: 1)
        let finding = ReportedFinding(Self.rules[0], .error, "It failed.", task: task, site: "App/save.swift:7")
        let result = CheckResult(of: Self.faults().store(), program: "app", rules: [Self.rules[0]], findings: [finding], failOn: .all)
        #expect(Self.text(.text, of: result).contains("error: unobserved-fault: save <1> (1) at App/save.swift:7: It failed.\n"))
        #expect(try JSONObject(Self.text(.json, of: result)).list("findings").map { $0.text("site") } == ["App/save.swift:7"])
        #expect(Self.text(.junit, of: result).contains(#"file="App/save.swift" line="7""#))
        #expect(Self.text(.sarif, of: result).contains(#"{"uri":"App/save.swift"},"region":{"startLine":7}"#))
    }

    @Test("The processes of a program are listed with the busiest first, and one that fails fails the check")
    func processes() throws {
        let calm = Self.result(TraceBuilder(), program: "tests")
        let results = CheckResults(
            calm, others: [Self.result(Self.faults(), program: "helper"), Self.result(TraceBuilder(), program: "tool")])
        #expect(results.hasFailed && !calm.hasFailed)
        var text = ""
        results.write(.text, to: &text)
        let summaries = text.split(separator: "\n").filter { $0.hasSuffix("rules)") }
        #expect(
            summaries == [
                "tests: passed (no tasks, 2 rules)", "helper: failed, 2 findings (5 tasks, 2 rules)", "tool: passed (no tasks, 2 rules)",
            ])
        var json = ""
        results.write(.json, to: &json)
        let object = try JSONObject(json)
        #expect(object.list("findings").isEmpty)
        #expect(object.list("others").map { $0.list("findings").count } == [2, 0])
        var junit = ""
        results.write(.junit, to: &junit)
        #expect(junit.contains("<testsuites name=\"hopscope check\" tests=\"6\" failures=\"2\" errors=\"0\">"))
        #expect(junit.matches(of: /<testsuite name="(tests|helper|tool)"/).count == 3)
        if InstalledTool.xmllint.exists { #expect(try InstalledTool.xmllint.run(["--noout"], input: junit).isEmpty) }
    }

    @Test("Findings are sorted in the order of the rules")
    func others() {
        let rule = "main-stall"
        let stall = ReportedFinding(rule, .warning, "main was busy for 2 s.", evidence: ["at 3.1 s"])
        let result = CheckResult(
            of: TraceBuilder().store(), program: "", rules: [rule] + Self.rules, findings: [stall], failOn: .all)
        #expect(result.hasFailed)
        #expect(
            Self.text(.text, of: result) == """
                warning: main-stall: main was busy for 2 s.
                    at 3.1 s
                unnamed program: failed, 1 finding (no tasks, 3 rules)

                """)
        #expect(Self.text(.junit, of: result).contains("<testcase classname=\"main-stall\" name=\"the program\">"))
    }

    @Test("10,000 findings of one kind are one row with a count, and JSON has each")
    func many() {
        var trace = TraceBuilder()
        for _ in 0..<10_000 { trace.fault(trace.source("request", line: 7), type: "Timeout") }
        let result = Self.result(trace)
        let lines = Self.text(.text, of: result).split(separator: "\n")
        let row = "error: unobserved-fault at App/main.swift:7, 10,000 times, the first: request (1) at App/main.swift:7: "
        #expect(lines.count { $0.hasPrefix(row) } == 1)
        #expect(lines.count { !$0.hasPrefix("    ") } == 2)
        #expect(Self.text(.json, of: result).split(separator: "\n").count { $0.contains("\"evidence\"") } == 10_000)
        #expect(lines.last == "app: failed, 10,000 findings (10,000 tasks, 2 rules)")
    }

    @Test("Findings of one rule at two places are two rows; the text report and the list of warnings group them alike")
    func places() {
        var trace = TraceBuilder()
        for line: UInt32 in [7, 9, 7, 9, 7] { trace.fault(trace.source("request", line: line), type: "Timeout") }
        let store = trace.store()
        let list = WarningEngine().list(in: store, isOver: true)
        #expect(
            list.groups.map { "\($0.rule) \($0.site) \($0.count)" } == [
                "unobserved-fault App/main.swift:7 3", "unobserved-fault App/main.swift:9 2",
            ])
        let lines = Self.text(.text, of: Self.result(trace)).split(separator: "\n").filter { $0.hasPrefix("error: ") }
        #expect(
            lines.map { $0.split(separator: ", the first")[0] } == [
                "error: unobserved-fault at App/main.swift:7, 3 times", "error: unobserved-fault at App/main.swift:9, 2 times",
            ])
        var report = ""
        Report(of: store, program: "app", warnings: list).writeText(to: &report)
        #expect(report.contains("error: unobserved-fault at App/main.swift:7, 3 times, the first:"))
        #expect(report.contains("error: unobserved-fault at App/main.swift:9, 2 times, the first:"))
    }

    @Test("The XML is well-formed and has no control characters, whatever the tasks and errors are called", arguments: [FailOn.all, .none])
    func wellFormed(failOn: FailOn) throws {
        var trace = TraceBuilder()
        for name in HostileTrace.names {
            trace.fault(trace.create(.source, name, file: name + "/File.swift"), type: name, message: name)
        }
        let text = Self.text(.junit, of: Self.result(trace, failOn, program: HostileTrace.names.joined()))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{FFFE}" && $0 != "\u{FFFF}" })
        #expect(text.split(separator: "\n").count { $0.hasPrefix("    <testcase ") } == HostileTrace.names.count + 1)
        // Every `<` belongs to a tag and every `&` to an entity.
        let tags = text.matches(of: /<[?\/]?[a-z-]+( [a-z]+="[^"<>]*")*\/?\??>/).count
        #expect(text.count { $0 == "<" } == tags && text.count { $0 == ">" } == tags)
        #expect(text.matches(of: /&(amp|lt|gt|quot|#39);/).count == text.count { $0 == "&" })
        if InstalledTool.xmllint.exists { #expect(try InstalledTool.xmllint.run(["--noout"], input: text).isEmpty) }
    }
}
