import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceExport

/// Samples for flame graphs and for pprof.
@Suite struct ProfileExportTests {
    private static let places = (0..<4 as Range<UInt32>).map { CodeAddress(module: "/bin/app", offset: $0) }

    /// Three samples of a task that another one made, two of them in one stack, and a sample of no task.
    private func exporter() -> Exporter {
        var trace = TraceBuilder()
        trace.takeLane(thread: 7)
        let pool = trace.executor("pool", .global)
        let parent = trace.create(.unstructured, "main", on: pool)
        let child = trace.create(.asyncLet, "load; a", of: [parent], on: pool)
        trace.enqueue(child)
        trace.advance(nanoseconds: 100)
        trace.start(child, .slice)
        trace.advance(nanoseconds: 100)
        trace.complete(child)
        var profile = ThreadProfile(hertz: 100)
        profile.appendSample(of: 7, at: 110, [Self.places[0], Self.places[1], Self.places[2]])
        profile.appendSample(of: 7, at: 120, [Self.places[0], Self.places[1], Self.places[2]])
        profile.appendSample(of: 7, at: 130, [Self.places[1], Self.places[2]])
        profile.appendSample(of: 7, at: 300, [Self.places[3]])
        return exporter(trace, profile)
    }

    private func exporter(_ trace: TraceBuilder, _ profile: ThreadProfile) -> Exporter {
        var steps = TaskSteps()
        steps.add(EventStretch(first: 1, events: trace.events, lanes: trace.lanes))
        let store = trace.store()
        let names = [
            Self.places[0]: [
                CodeSymbol(function: "inlined()", file: "A.swift", line: 3), CodeSymbol(function: "parse()", file: "A.swift", line: 9),
            ],
            Self.places[1]: [CodeSymbol(function: "load()", file: "A.swift", line: 20)],
            Self.places[2]: [CodeSymbol(function: "swift_job_runImpl", isMachinery: true)],
        ]
        var exporter = Exporter(of: store, program: "app", startedAt: ExportedTrace.start, events: [])
        exporter.profile = ProfiledTrace(SampledStacks(profile, steps, store), names: names)
        return exporter
    }

    @Test("A folded line has the tasks, then the calls, outermost first, and how many samples were alike")
    func folded() {
        var text = ""
        exporter().write(.folded, to: &text)
        #expect(
            text == """
                main #1;load: a #2;load();parse();inlined() 2
                main #1;load: a #2;load() 1
                no task;app 1

                """)
    }

    @Test("Tasks that were made at one place are one name in folded stacks and for pprof, as on the screen")
    func alike() throws {
        var trace = TraceBuilder()
        trace.takeLane(thread: 7)
        let pool = trace.executor("pool", .global)
        var profile = ThreadProfile(hertz: 100)
        for number in 0..<3 as Range<UInt64> {
            let task = trace.create(.unstructured, "request \(number)", on: pool, line: 10)
            trace.start(task, .slice)
            trace.advance(nanoseconds: 100)
            trace.complete(task)
            profile.appendSample(of: 7, at: number * 100 + 50, [Self.places[1]])
        }
        let exporter = exporter(trace, profile)
        var text = ""
        exporter.write(.folded, to: &text)
        #expect(text == "request 0 #1 and 2 more;load() 3\n")
        let file = try parsed(exporter)
        let strings = file.strings(6)
        #expect(try file.messages(5).map { strings[Int($0.number(2) ?? 0)] } == ["load()", "request 0 #1 and 2 more"])
        // The name of a symbol would be cut at its angle brackets.
        #expect(try file.messages(5).allSatisfy { $0.number(3) == nil })
        #expect(try file.messages(2).map { $0.numbers(1) } == [[1, 2], [1, 2], [1, 2]])
        #expect(try file.messages(4).map { try $0.messages(4).map { $0.number(2) } } == [[20], [10]])
    }

    @Test("A file for pprof is gzip, and has the same samples, with names, lines, times and tasks")
    func pprof() throws {
        let profile = try parsed(exporter())
        let strings = profile.strings(6)
        #expect(strings[0] == "")
        let functions = try profile.messages(5).map { strings[Int($0.number(2) ?? 0)] }
        #expect(functions == ["inlined()", "parse()", "load()", "load; a #2", "main #1", "app", "no task"])
        let samples = try profile.messages(2)
        #expect(samples.map { $0.numbers(1) } == [[1, 2, 3, 4, 5], [6, 7], [3, 4, 5]])
        #expect(samples.map { $0.numbers(2) } == [[2, 20_000_000], [1, 10_000_000], [1, 10_000_000]])
        let tasks = try samples.map { try $0.messages(3).map { strings[Int($0.number(2) ?? 0)] } }
        #expect(tasks == [["main #1; load; a #2"], ["no task"], ["main #1; load; a #2"]])
        #expect(profile.number(12) == 10_000_000)
        #expect(profile.number(9) == ExportedTrace.start)
    }

    private func parsed(_ exporter: Exporter) throws -> ParsedProtobuf {
        let bytes = try #require(exporter.bytes(.pprof))
        #expect(bytes.prefix(3) == [0x1F, 0x8B, 8])
        // The content is one block that is not compressed.
        let size = Int(bytes[11]) | Int(bytes[12]) << 8
        #expect(bytes.count == 10 + 5 + size + 8)
        return try ParsedProtobuf(Array(bytes[15..<15 + size]))
    }

    @Test("Perfetto gets each thread's samples as a tree of calls, and for each sample its time and its innermost call")
    func perfetto() throws {
        var text = ""
        exporter().write(.perfetto, to: &text)
        let events = try JSONObject(text).list("traceEvents")
        #expect(events.contains { $0.text("name") == "thread_name" && $0.object("args").text("name") == "samples of thread 7" })
        let parts = events.filter { $0.text("ph") == "P" }
        #expect(parts.map { $0.text("name") } == ["Profile", "ProfileChunk"])
        #expect(Set(parts.map { $0.text("id") }).count == 1 && Set(parts.map { $0.number("tid") }).count == 1)
        let data = try #require(parts.last).object("args").object("data")
        let nodes = data.object("cpuProfile").list("nodes")
        #expect(
            nodes.map { $0.object("callFrame").text("functionName") } == [
                "(root)", "main #1", "load; a #2", "load()", "parse()", "inlined()", "no task", "app",
            ])
        #expect(nodes.map { $0.number("parent") } == [nil, 1, 2, 3, 4, 5, 1, 7])
        #expect(text.contains(#""samples":[6,6,4,8]"#) && text.contains(#""timeDeltas":[0,0,0,0]"#), "\(text)")
    }

    @Test("A gzip file of any size has the checksum and the size at its end", arguments: [0, 1, 65_535, 65_536, 200_000])
    func gzip(size: Int) {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let bytes = GzipFile.bytes(of: content)
        #expect(bytes.count == 10 + size + 5 * max(1, (size + 65_534) / 65_535) + 8)
        #expect(bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) } == size)
    }

    @Test("CRC-32 of a known text")
    func checksum() {
        let bytes = GzipFile.bytes(of: Array("123456789".utf8))
        #expect(bytes.suffix(8).prefix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) } == 0xCBF4_3926)
    }

    @Test("Without samples, these formats have nothing to write, and say so")
    func none() {
        let exporter = Exporter(of: TraceStore(), program: "app", startedAt: 0, events: [])
        #expect(ExportFormat.allCases.filter(\.needsProfile) == [.pprof, .folded])
        #expect(ExportFormat.allCases.filter(\.takesProfile) == [.perfetto, .pprof, .folded])
        #expect(exporter.bytes(.pprof) == nil)
    }
}
