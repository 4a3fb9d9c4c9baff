import TaskEvents
import Testing
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTestKit

@testable import TraceExport

/// All outputs say the same of one trace, and nothing that the trace does not prove.
@Suite struct OutputAgreementTests {
    enum Subject: CaseIterable, Sendable {
        case sample, random, truncated, interleaved, randomLosses
        /// Open tasks whose last records may be lost.
        case losses
        /// As from snapshots: tasks of Swift end, and how they ended is not known.
        case unknownEnds
        /// A task throws its error again, twice.
        case thrownAgain

        var trace: ExportedTrace {
            switch self {
            case .sample: ExportedTrace(SampleTrace.make())
            case .random: ExportedTrace.random(.complete, seed: 21)
            case .truncated: ExportedTrace.random(.cutOff, seed: 22)
            case .interleaved: ExportedTrace.random(.interleaved, seed: 23)
            case .randomLosses: ExportedTrace.random(.lossy, seed: 24)
            case .losses: ExportedTrace(OutputAgreementTests.losses)
            case .unknownEnds: ExportedTrace(OutputAgreementTests.unknownEnds)
            case .thrownAgain: OutputAgreementTests.thrownAgain
            }
        }
    }

    private static var losses: TraceBuilder {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .queue))
        let load = trace.root("load", on: net, line: 3)
        trace.enqueue(load)
        trace.start(load)
        trace.advance(milliseconds: 2)
        trace.fault(load, type: "Timeout", message: "after 2 ms")
        let show = trace.continuation("show", of: load, on: main, line: 4)
        trace.hop(show, from: net)
        trace.enqueue(show)
        trace.run(trace.continuation("log", of: load, on: net, line: 9))
        let wait = trace.root("wait", on: net, line: 5)
        trace.enqueue(wait)
        trace.start(wait)
        trace.wait(wait, forInner: trace.source("value", line: 6))
        trace.advance(milliseconds: 1)
        trace.lane = 1
        trace.lose(9)
        trace.advance(milliseconds: 1)
        trace.lane = 0
        trace.run(trace.root("later", on: net, line: 7))
        trace.enqueue(trace.root("last", on: net, line: 8))
        return trace
    }

    private static var unknownEnds: TraceBuilder {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let pool = trace.executor("global", .global)
        let parent = trace.create(.unstructured, "serve", on: pool, line: 2)
        trace.enqueue(parent)
        trace.start(parent, .slice)
        let children = (0..<3).map { _ in trace.create(.groupChild, "request", of: [parent], on: pool, line: 9) }
        for child in children {
            trace.enqueue(child)
            trace.start(child, .slice)
            trace.advance(milliseconds: 2)
            if child != children.last { trace.complete(child) }
        }
        trace.complete(parent)
        // A chain's task ends in the same trace, and that shows how.
        trace.run(trace.root("chain", on: pool, line: 12))
        return trace
    }

    private static var thrownAgain: ExportedTrace {
        var trace = TraceBuilder()
        let (save, submit) = (trace.root("save", line: 3), trace.root("submit", line: 4))
        trace.advance(milliseconds: 1)
        var entries = trace.entries
        let first = entries.count
        for number in 0..<3 as Range<UInt32> { entries.append(.code(.calls, [AddressRecord(module: .none, offset: number)])) }
        entries.append(.throwsOfError((0..<3).map { EntryID(rawValue: first + $0) }))
        entries.append(.error(type: .none, message: .none, thrownBy: EntryID(rawValue: first + 3)))
        let error = EntryID(rawValue: first + 4)
        trace.emit(TaskEvent(.faulted, task: save, label: error, detail: FaultManner.thrown.rawValue))
        trace.emit(TaskEvent(.faulted, task: submit, other: save.rawValue, label: error, detail: FaultManner.forwarded.rawValue))
        return ExportedTrace(trace.batch, entries: entries)
    }

    private func expectAgreement(_ said: StatedFacts, _ truth: StatedFacts, _ output: String, atLeast count: Int) {
        #expect(said.tasks.count >= count, "\(output)")
        for (task, facts) in said.tasks.sorted(by: { $0.key < $1.key }) {
            #expect(facts == truth.tasks[task]?.filter { said.keys.contains($0.key) }, "task \(task) in \(output)")
        }
    }

    @Test("Every output that has a task's state says the same of each task", arguments: Subject.allCases)
    func tasks(subject: Subject) throws {
        let trace = subject.trace
        let truth = StatedFacts(of: trace)
        let all = try StatedFacts.report(trace)
        expectAgreement(all, truth, "report", atLeast: truth.tasks.count)
        for format in ExportFormat.ofEvents {
            guard let said = try StatedFacts.of(format, trace) else { continue }
            let ended = truth.tasks.values.count { $0["ended_ns"] != nil }
            let started = truth.tasks.values.count { $0["started_ns"] != nil }
            let count = format == .tables ? ended : format == .perfetto ? started * 9 / 10 : truth.tasks.count
            expectAgreement(said, truth, format.rawValue, atLeast: count)
        }
        expectAgreement(try StatedFacts.shipped("slow chain", trace), truth, "slow chains", atLeast: 1)
        let hasFaults = truth.tasks.values.contains { $0["error"] != nil }
        expectAgreement(try StatedFacts.shipped("fault", trace), truth, "faults", atLeast: hasFaults ? 1 : 0)
    }

    @Test("The traces that prove less have states that prove less, in every output that lists such tasks")
    func unknowns() throws {
        func states(_ facts: StatedFacts) -> Set<String> { Set(facts.tasks.values.compactMap { $0["state"] }) }
        for (subject, unknown) in [(Subject.losses, "unknown"), (.unknownEnds, "ended")] {
            let trace = subject.trace
            #expect(states(try .report(trace)).contains(unknown))
            for format in ExportFormat.ofEvents where format != .jsonl && (format != .tables || unknown == "ended") {
                #expect(states(try #require(try StatedFacts.of(format, trace))).contains(unknown), "\(format.rawValue)")
            }
            #expect(states(try .shipped("slow chain", trace)).contains(unknown))
        }
        var text = ""
        Report(of: Subject.unknownEnds.trace.store, program: "sample").writeText(to: &text)
        #expect(text.contains("✓ 1 succeeded   ● 3 ended"))
        let points = Subject.unknownEnds.trace.shipped().collect(isOver: false, slowChain: .max).points.filter { $0.metric == .tasksEnded }
        #expect(
            Dictionary(uniqueKeysWithValues: points.map { ($0.key.values.compactMap(\.self).joined(separator: " "), $0.value) }) == [
                "App/main.swift:2 ended": .count(1), "App/main.swift:9 ended": .count(2), "App/main.swift:12 succeeded": .count(1),
            ])
    }

    @Test("A wait whose end may be lost is not stated")
    func waits() throws {
        var text = ""
        Report(of: Subject.losses.trace.store, program: "sample").writeJSON(to: &text)
        let tasks = try JSONObject(text).list("tasks")
        for task in tasks where task.text("state") == "unknown" { #expect(task.object("waits_for").fields.isEmpty) }
        let store = Subject.losses.trace.store
        store.end = .exit
        text = ""
        Report(of: store, program: "sample").writeText(to: &text)
        #expect(text.contains("  `show` at main.swift:4, task 2: unknown, its last events may be among the lost records\n"))
        #expect(tasks.last?.text("state") == "queued" && tasks.last?.object("waits_for").text("kind") == "executor")
    }

    @Test("A task that throws its error again has one span, and no span is its own parent", arguments: Subject.allCases)
    func spansOfFaults(subject: Subject) throws {
        let trace = subject.trace
        let process = trace.shipped()
        let batch = process.collect(isOver: true, slowChain: .max)
        #expect(subject != .thrownAgain || batch.faults.contains { $0.steps.contains(where: \.isAgain) })
        let spans = ShippedSpans(store: process.store).all(of: batch)
        #expect(Set(spans.map { [$0.trace, $0.task.id] }).count == spans.count)
        #expect(spans.allSatisfy { $0.parent != $0.task.id })
    }

    @Test("Every output says the same of each finding", arguments: Subject.allCases)
    func findings(subject: Subject) throws {
        let trace = subject.trace
        let store = trace.store
        let list = WarningEngine().list(in: store, isOver: true)
        var (report, check) = ("", "")
        Report(of: store, program: "sample", warnings: list).writeJSON(to: &report)
        CheckResult(
            of: store, program: "sample", rules: WarningRules.all.map(\.id), findings: ReportedFinding.all(of: list, in: store),
            failOn: .all
        )
        .write(.json, to: &check)
        func facts(_ finding: JSONObject) -> [String] {
            [finding.text("rule"), finding.text("severity"), finding.number("task").map(String.init), finding.text("message")].map {
                $0 ?? ""
            }
        }
        let truth = list.findings.map { finding in
            [
                finding.rule, finding.severity.name, finding.task == .none ? "" : "\(finding.task.rawValue)",
                list.message(of: finding, in: store),
            ]
        }
        let reported = try JSONObject(report).list("warnings")
        #expect(reported.map(facts) == truth)
        #expect(
            try JSONObject(check).list("findings").map(facts).sorted { $0.joined() < $1.joined() }
                == truth.sorted { $0.joined() < $1.joined() })
        var tables = ""
        Exporter(of: store, program: "sample", startedAt: 0, events: [], warnings: list).write(.tables, to: &tables)
        let rows = try tables.split(separator: "\n").map { try JSONObject($0) }.filter { $0.text("table") == "finding" }
        #expect(rows.map(facts) == truth)
        #expect(rows.map { $0.text("where") } == reported.map { $0.text("where") })
        #expect(rows.map { $0.number("at_ns") } == list.findings.map { Int($0.at) })

        let process = ShippedProcess(program: "sample", startedAt: ExportedTrace.start)
        let logs = ShippedRequest(process, resource: ShippedResource(), at: 0).logs(of: Array(ReportedFinding.all(of: list, in: store)))
        guard let logs else {
            #expect(truth.isEmpty)
            return
        }
        let records = try #require(ParsedProtobuf(logs).messages(1).first?.messages(2).first).messages(2)
        let said = try records.map { record in
            [try record.attributes(6)["rule"], record.text(3)?.lowercased(), try record.messages(5).first?.text(1)].map { $0 ?? "" }
        }
        #expect(said == truth.map { [$0[0], $0[1], $0[3]] })
        #expect(try records.map { try $0.attributes(6)["where"] } == reported.map { $0.text("where") })
        #expect(records.map { $0.number(1) } == list.findings.map { ExportedTrace.start + $0.at })
    }
}
