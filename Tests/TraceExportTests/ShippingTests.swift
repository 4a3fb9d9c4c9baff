import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceExport

/// The data that `hopscope ship` sends equals the report's.
@Suite struct ShippingTests {
    private static func process(
        _ trace: ExportedTrace, inBatchesOf size: Int, endedTasks: Int = 100_000, afterEach look: (ShippedProcess) -> Void = { _ in }
    ) -> ShippedProcess {
        let process = ShippedProcess(program: "sample", startedAt: ExportedTrace.start, endedTasks: endedTasks)
        process.store.entries = trace.store.entries
        for start in stride(from: 0, to: trace.events.count, by: size) {
            let part = trace.events[start..<min(start + size, trace.events.count)]
            process.apply(TraceBatch(events: part.map(\.event), lanes: part.map { UInt16($0.lane) }))
            look(process)
        }
        return process
    }

    private static func count(_ metric: ShippedMetric, _ batch: ShippedBatch, where isMeant: ([String?]) -> Bool = { _ in true }) -> Int {
        batch.points.reduce(0) { sum, point in
            guard point.metric == metric, isMeant(point.key.values), case .count(let count) = point.value else { return sum }
            return sum + count
        }
    }

    @Test("Tasks, faults and waits are those of the store, however the trace is cut", arguments: [1, 7, 100_000], [1, 2, 3] as [UInt64])
    func totals(size: Int, seed: UInt64) throws {
        let trace = ExportedTrace.random(.complete, seed: seed)
        let process = Self.process(trace, inBatchesOf: size)
        let batch = process.collect(isOver: true, slowChain: .max)
        let store = trace.store
        store.end = .exit
        #expect(Self.count(.tasksLive, batch) == store.openCount)
        for state in TaskState.allCases where state.hasEnded {
            #expect(Self.count(.tasksEnded, batch) { $0[1] == state.name } == store.count(of: state), "\(state)")
        }
        let faults = FaultCounts(FaultAnalysis(store, readers: ErrorReaders(store)))
        for verdict in Verdict.allCases {
            #expect(Self.count(.faults, batch) { $0[2] == verdict.name } == faults.count(of: verdict), "\(verdict)")
        }
        #expect(batch.faults.count == faults.total - faults.count(of: .pending))
        let list = WarningEngine().list(in: store, isOver: true)
        #expect(Self.count(.findings, batch) == list.count)
        for executor in store.executors {
            let waits = batch.points.compactMap { point -> ShippedHistogram? in
                guard point.metric == .wait, point.key.values == [executor.name], case .histogram(let waits) = point.value else {
                    return nil
                }
                return waits
            }
            #expect(waits.map(\.count) == [UInt64(executor.waits.count)], "\(executor.name)")
        }
    }

    @Test("A fault and a finding are told once, and a changed verdict again")
    func news() {
        let trace = ExportedTrace.random(.complete, seed: 5)
        let process = Self.process(trace, inBatchesOf: 1000)
        let first = process.collect(isOver: true, slowChain: .max)
        #expect(!first.faults.isEmpty && !first.findings.isEmpty)
        let second = process.collect(isOver: true, slowChain: .max)
        #expect(second.faults.isEmpty && second.findings.isEmpty)
        #expect(second.points.map(\.key) == first.points.map(\.key))
        #expect(second.points.map(\.value) == first.points.map(\.value))
    }

    /// 300 errors that nothing reads, with so many milliseconds between them.
    private static func losses(apart milliseconds: UInt64) -> ExportedTrace {
        var trace = TraceBuilder()
        let queue = trace.executor("net", .queue)
        for _ in 0..<300 {
            let task = trace.root("fails", on: queue, line: 3)
            trace.start(task)
            trace.fault(task, type: "Broken", message: "broken")
            trace.release(task)
            trace.advance(milliseconds: milliseconds)
        }
        return ExportedTrace(trace)
    }

    @Test("Evicted faults and tasks stay counted")
    func eviction() {
        let process = Self.process(Self.losses(apart: 0), inBatchesOf: 40, endedTasks: 20) { process in
            _ = process.collect(isOver: false, slowChain: .max)
        }
        let last = process.collect(isOver: true, slowChain: .max)
        #expect(process.store.evictedCount > 200)
        #expect(Self.count(.faults, last) { $0 == ["App/main.swift:3", "Broken", "unobserved"] } == 300)
        #expect(Self.count(.tasksEnded, last) { $0 == ["App/main.swift:3", "faulted"] } == 300)
    }

    @Test("Errors that were lost and evicted between two collections are counted, and each is a finding")
    func evictionBetweenCollections() {
        let process = Self.process(Self.losses(apart: 101), inBatchesOf: 40, endedTasks: 20)
        let last = process.collect(isOver: true, slowChain: .max)
        #expect(process.store.evictedCount > 200)
        #expect(Self.count(.faults, last) { $0 == ["App/main.swift:3", "Broken", "unobserved"] } == 300)
        #expect(Self.count(.findings, last) { $0[0] == "unobserved-fault" } == 300)
        #expect(process.collect(isOver: true, slowChain: .max).faults.isEmpty)
    }

    @Test("Blocks are counted by their places, apart from tasks")
    func blocks() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.create(.detached, "load", line: 3)
        for milliseconds: UInt64 in [30, 10] {
            let block = trace.block("load", on: main, by: task, line: 4)
            trace.start(block, .slice, on: main)
            trace.advance(milliseconds: milliseconds)
            trace.complete(block)
        }
        _ = trace.block("load", on: main, by: task, line: 9)
        let batch = Self.process(ExportedTrace(trace), inBatchesOf: 3).collect(isOver: false, slowChain: 1)
        #expect(Self.count(.tasksLive, batch) == 1 && Self.count(.tasksEnded, batch) == 0)
        #expect(Self.count(.blocksLive, batch) { $0 == ["App/main.swift:4"] } == 0)
        #expect(Self.count(.blocksLive, batch) { $0 == ["App/main.swift:9"] } == 1)
        #expect(Self.count(.blocksEnded, batch) { $0 == ["App/main.swift:4", "succeeded"] } == 2)
        let busy = batch.points.filter { $0.metric == .blocksBusy }
        guard busy.count == 1, case .histogram(let times) = busy[0].value else {
            Issue.record("\(busy)")
            return
        }
        #expect(busy[0].key.values == ["App/main.swift:4"] && times.count == 2 && times.sum == 40_000_000)
        #expect(batch.slowChains.isEmpty)
    }

    @Test("The parts of the time of ended tasks are histograms by place")
    func parts() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        for _ in 0..<2 {
            let task = trace.root("request", on: pool, line: 4)
            trace.advance(milliseconds: 1)
            trace.enqueue(task)
            trace.advance(milliseconds: 2)
            trace.start(task)
            trace.advance(milliseconds: 4)
            trace.beginWait(for: .none, by: task)
            trace.advance(milliseconds: 8)
            trace.endWait(for: .none, by: task)
            trace.complete(task)
            trace.endJob(task)
        }
        _ = trace.root("waits", on: pool, line: 9)
        let batch = Self.process(ExportedTrace(trace), inBatchesOf: 3).collect(isOver: false, slowChain: .max)
        let points = batch.points.filter { $0.metric == .tasksTime }
        #expect(points.map(\.key.values) == ["awaiting", "blocked", "queued", "running"].map { ["App/main.swift:4", $0] })
        let sums = points.map { point -> [UInt64] in
            if case .histogram(let times) = point.value { [times.count, times.sum / 1_000_000] } else { [] }
        }
        #expect(sums == [[2, 2], [2, 16], [2, 4], [2, 8]])
    }

    @Test("Places beyond the limit are one point, and are counted")
    func cardinality() {
        var trace = TraceBuilder()
        for line in 1...80 as ClosedRange<UInt32> { _ = trace.root("task", on: .none, line: line) }
        let process = Self.process(ExportedTrace(trace), inBatchesOf: 10)
        let batch = process.collect(isOver: false, slowChain: .max)
        let sites = batch.points.filter { $0.metric == .tasksLive }
        #expect(sites.count == 51)
        #expect(sites.last?.key.values == [nil])
        #expect(sites.last?.value == .count(30))
        #expect(process.cutValues == 30)
        #expect(Self.count(.tasksLive, batch) == 80)
    }

    @Test("A task that is called after its handler is live at that place until its end, and at no other place then")
    func renamed() {
        var trace = TraceBuilder()
        let library = trace.label(code: trace.code(CodeSymbol(function: "Server.run()", file: "Server.swift", line: 1, library: "server")))
        let handler = trace.code(CodeSymbol(function: "orders(_:)", file: "App.swift", line: 2))
        let task = trace.reserveTask()
        trace.emit(TaskEvent(.created, task: task, label: library, detail: TaskKind.detached.rawValue))
        trace.start(task, .slice)
        let process = ShippedProcess(program: "sample", startedAt: ExportedTrace.start)
        process.store.entries = trace.entries
        func live(_ events: ArraySlice<TaskEvent>) -> [String: Int] {
            process.apply(TraceBatch(events: Array(events), lanes: events.map { _ in 0 }))
            let points = process.collect(isOver: false, slowChain: .max).points.filter { $0.metric == .tasksLive }
            return Dictionary(
                uniqueKeysWithValues: points.map { point in
                    guard case .count(let count) = point.value else { return ("", -1) }
                    return (point.key.values[0] ?? "", count)
                })
        }
        let created = live(trace.events[...])
        #expect(created.count == 1 && created.values.first == 1)
        let seen = trace.events.count
        trace.suspend(task, .continuation, in: handler)
        let suspended = live(trace.events[seen...])
        #expect(suspended["App.swift:2"] == 1 && suspended.values.reduce(0, +) == 1)
        trace.complete(task)
        let ended = live(trace.events[(seen + 1)...])
        #expect(ended.count == 2 && ended.values.allSatisfy { $0 == 0 }, "\(ended)")
    }

    @Test("A slow chain is told once it has a task that ended late")
    func slowChains() {
        var trace = TraceBuilder()
        let queue = trace.executor("net", .queue)
        let quick = trace.root("quick", on: queue)
        let slow = trace.root("slow", on: queue)
        trace.run(quick, milliseconds: 1)
        trace.run(slow, milliseconds: 50)
        let process = Self.process(ExportedTrace(trace), inBatchesOf: 100)
        #expect(process.collect(isOver: true, slowChain: 20_000_000).slowChains == [slow])
        #expect(process.collect(isOver: true, slowChain: 20_000_000).slowChains == [])
    }

    @Test("A histogram's bucket has the durations up to its bound")
    func histogram() {
        var histogram = ShippedHistogram()
        for bound in ShippedHistogram.bounds { histogram.add(bound) }
        histogram.add(ShippedHistogram.bounds.last! + 1, times: 3)
        histogram.add(0)
        #expect(histogram.counts == [2] + Array(repeating: 1, count: ShippedHistogram.bounds.count - 1) + [3])
        #expect(histogram.count == 16)
    }

    @Test("A collector's answer tells what it rejected")
    func answers() {
        #expect(ShippedAnswer([]) == ShippedAnswer([0x0A, 0x00]))
        // partial_success { rejected: 300, error_message: "no" }
        let answer = ShippedAnswer([0x0A, 0x07, 0x08, 0xAC, 0x02, 0x12, 0x02, 0x6E, 0x6F])
        #expect(answer.rejected == 300)
        #expect(answer.message == "no")
        var random = SeededGenerator(seed: 9)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(ShippedAnswer(bytes).rejected >= 0)
        }
    }

    @Test("Tasks are counted by place, whether their labels come before or after them")
    func lateLabels() {
        let trace = ExportedTrace.random(.complete, seed: 4)
        let late = ShippedProcess(program: "sample", startedAt: ExportedTrace.start)
        for part in [trace.events.prefix(trace.events.count / 2), trace.events.dropFirst(trace.events.count / 2)] {
            late.apply(TraceBatch(events: part.map(\.event), lanes: part.map { UInt16($0.lane) }))
            late.store.entries = trace.store.entries
        }
        func tasks(_ process: ShippedProcess) -> [String] {
            process.collect(isOver: true, slowChain: .max).points.filter { [.tasksLive, .tasksEnded].contains($0.metric) }
                .map { "\($0.metric) \($0.key.values) \($0.value)" }
        }
        let reported = tasks(late)
        #expect(reported.count > 2)
        #expect(reported == tasks(Self.process(trace, inBatchesOf: 100)))
    }

    @Test("The store of a shipped process counts its events and keeps none, and the rules see all", arguments: [1, 500])
    func keptEvents(size: Int) {
        let trace = ExportedTrace.random(.complete, seed: 3)
        let process = Self.process(trace, inBatchesOf: size) { process in
            #expect(process.store.oldestEvent == process.store.eventCount + 1)
            #expect(process.store.event(number: process.store.eventCount) == nil)
        }
        #expect(process.store.eventCount == trace.events.count)
        let list = WarningEngine(limit: 1000).list(in: trace.store, isOver: true)
        let reported = process.collect(isOver: true, slowChain: .max).findings
        #expect(Set(reported.map(\.rule)) == Set(list.findings.map(\.rule)) && !reported.isEmpty)
    }

    @Test("Resource attributes are percent-decoded pairs, and later ones replace earlier ones")
    func resource() {
        var resource = ShippedResource()
        resource.add(pairs: " service.name = shop ,k=a%20b%2Cc,broken,=x,empty=,service.name=till,bad=%zz")
        #expect(resource.attributes.map(\.key) == ["service.name", "k", "bad"])
        #expect(resource.attributes.map(\.value) == ["till", "a b,c", "%zz"])
    }

    @Test("The document and the dashboard have every metric and attribute")
    func documents() throws {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let document = try String(contentsOf: top.appendingPathComponent("Docs/Fleet.md"), encoding: .utf8)
        for metric in ShippedMetric.allCases {
            let attributes = metric.row.attributes.map { "`\($0.rawValue)`" }.joined(separator: " ")
            let row =
                "| `\(metric.rawValue)` | \(metric.row.instrument.rawValue) | `\(metric.row.unit)` | \(attributes) | \(metric.row.description) |"
            #expect(document.contains(row), "\(row)")
        }
        for attribute in ShippedAttribute.allCases {
            let limit = attribute.limit == .max ? "" : String(attribute.limit)
            #expect(document.contains("| `\(attribute.rawValue)` | \(attribute.description) | \(limit) |"), "\(attribute.rawValue)")
        }
        let board = try JSONSerialization.jsonObject(with: Data(contentsOf: top.appendingPathComponent("Examples/Fleet/dashboard.json")))
        let panels = try #require((board as? [String: Any])?["panels"] as? [[String: Any]])
        let queries = panels.flatMap { ($0["targets"] as? [[String: Any]] ?? []).compactMap { $0["expr"] as? String } }.joined(
            separator: "\n")
        for metric in ShippedMetric.allCases {
            #expect(queries.contains(metric.rawValue.replacing(".", with: "_")), "\(metric.rawValue)")
        }
    }
}
