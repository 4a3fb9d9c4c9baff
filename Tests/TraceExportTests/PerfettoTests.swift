import TaskEvents
import Testing
import TraceExport
import TraceReport
import TraceStore
import TraceTestKit
import TraceTransport

/// A Perfetto trace, parsed.
private struct ParsedPerfetto {
    struct Slice {
        var track: Int
        var start: Int
        var end: Int
        var category: String
        var name: String
        var arguments: JSONObject
    }

    var events: [JSONObject]
    var slices: [Slice]

    init(_ trace: ExportedTrace) throws {
        events = try JSONObject(trace.text(.perfetto)).list("traceEvents")
        slices = try events.filter { $0.text("ph") == "X" }.map { event in
            let start = try #require(event.nanoseconds("ts"))
            return Slice(
                track: try #require(event.number("tid")), start: start, end: start + (try #require(event.nanoseconds("dur"))),
                category: try #require(event.text("cat")), name: try #require(event.text("name")), arguments: event.object("args"))
        }
    }

    func events(_ phase: String, _ category: String? = nil) -> [JSONObject] {
        events.filter { $0.text("ph") == phase && (category == nil || $0.text("cat") == category) }
    }

    /// The names of tracks by their numbers.
    var trackNames: [Int: String] {
        let named = events.filter { $0.text("name") == "thread_name" }
        return Dictionary(uniqueKeysWithValues: named.map { ($0.number("tid") ?? -1, $0.object("args").text("name") ?? "") })
    }

    /// Slices of one track that overlap without nesting.
    var crossings: [(Slice, Slice)] {
        var crossings: [(Slice, Slice)] = []
        for slices in Dictionary(grouping: slices, by: \.track).values {
            var open: [Slice] = []
            for slice in slices.sorted(by: { ($0.start, -$0.end) < ($1.start, -$1.end) }) {
                while let last = open.last, last.end <= slice.start { open.removeLast() }
                if let last = open.last, slice.end > last.end { crossings.append((last, slice)) }
                open.append(slice)
            }
        }
        return crossings
    }

    /// The periods of a category's asynchronous slices, by task.
    func waits(_ category: String) -> [Int: [(start: Int, end: Int)]] {
        var ends: [String: Int] = [:]
        for event in events("e", category) { ends[event.text("id") ?? ""] = event.nanoseconds("ts") }
        return Dictionary(grouping: events("b", category)) { $0.object("args").number("task") ?? 0 }
            .mapValues { $0.map { (start: $0.nanoseconds("ts") ?? 0, end: ends[$0.text("id") ?? ""] ?? -1) } }
    }
}

@Suite struct PerfettoTests {
    @Test("The complete trace of a hop, inline bodies inside a job, a job without a task and a hop from no executor")
    func golden() {
        var trace = TraceBuilder(at: 1_000)
        let main = trace.executor("main", .main)
        let net = trace.executor("net", .queue)
        let inline = trace.executor("default", .default)
        let save = trace.root("save", on: net, line: 12)
        trace.enqueue(save)
        trace.advance(nanoseconds: 500)
        trace.lane = 1
        trace.start(save)
        trace.advance(nanoseconds: 2_001)
        trace.fault(save, type: "Boom", message: "Boom(1)")
        let log = trace.continuation("log", of: save, on: inline)
        trace.start(log, .inline)
        trace.advance(microseconds: 1)
        trace.complete(log)
        let show = trace.continuation("show", of: save, on: main)
        trace.hop(show, from: net)
        trace.enqueue(show)
        trace.advance(microseconds: 1)
        trace.endJob(save)
        trace.lane = 2
        trace.start(show)
        trace.readError(of: save, by: show)
        trace.advance(microseconds: 4)
        trace.complete(show)
        trace.endJob(show)
        trace.start(.none, on: net)
        trace.advance(microseconds: 1)
        trace.endJob(.none, on: net)
        trace.mark("here")
        #expect(
            ExportedTrace(trace).text(.perfetto) == """
                {"displayTimeUnit":"ns","otherData":{"program":"sample","lost":0,"synthesised":0},"traceEvents":[
                {"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"sample"}},
                {"ph":"b","name":"waiting for net","cat":"queue","id":"0x1","pid":1,"tid":1,"ts":1,"args":{"task":1,"name":"save"}},
                {"ph":"e","name":"waiting for net","cat":"queue","id":"0x1","pid":1,"tid":1,"ts":1.500},
                {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"net"}},
                {"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":8193}},
                {"ph":"i","name":"Boom(1)","cat":"fault","s":"t","pid":1,"tid":2,"ts":3.501,\
                "args":{"task":1,"name":"save","type":"Boom","message":"Boom(1)","manner":"thrown"}},
                {"ph":"X","name":"save","cat":"task","pid":1,"tid":2,"ts":1.500,"dur":2.001,"args":{"task":1,"chain":1,"kind":"root",\
                "state":"faulted","executor":"net","site":"App/main.swift:12","queued_ns":1000,"started_ns":1500,"ended_ns":3501,\
                "busy_ns":2001,"error":"Boom(1)","role":"thrown"}},
                {"ph":"X","name":"log","cat":"task","pid":1,"tid":2,"ts":3.501,"dur":1,"args":{"task":2,"chain":1,"kind":"continuation",\
                "state":"succeeded","executor":"default","site":"App/main.swift:1","queued_ns":null,"started_ns":3501,"ended_ns":4501,\
                "busy_ns":1000,"role":"swallowed"}},
                {"ph":"X","name":"job of save","cat":"job","pid":1,"tid":2,"ts":1.500,"dur":4.001,"args":{"task":1}},
                {"ph":"b","name":"waiting for main","cat":"queue","id":"0x2","pid":1,"tid":1,"ts":4.501,"args":{"task":3,"name":"show"}},
                {"ph":"e","name":"waiting for main","cat":"queue","id":"0x2","pid":1,"tid":1,"ts":5.501},
                {"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"main"}},
                {"ph":"M","name":"thread_sort_index","pid":1,"tid":3,"args":{"sort_index":1}},
                {"ph":"X","name":"show","cat":"task","pid":1,"tid":3,"ts":5.501,"dur":4,"args":{"task":3,"chain":1,"kind":"continuation",\
                "state":"succeeded","executor":"main","site":"App/main.swift:1","queued_ns":4501,"started_ns":5501,"ended_ns":9501,\
                "busy_ns":4000,"role":"recovered"}},
                {"ph":"s","name":"hop","cat":"hop","id":1,"pid":1,"tid":2,"ts":4.501},
                {"ph":"f","name":"hop","cat":"hop","id":1,"bp":"e","pid":1,"tid":3,"ts":5.501},
                {"ph":"X","name":"job","cat":"job","pid":1,"tid":2,"ts":9.501,"dur":1,"args":{}},
                {"ph":"i","name":"here","cat":"mark","s":"p","pid":1,"tid":1,"ts":10.501,"args":{}}]}

                """)
    }

    @Test(
        "Slices nest, tracks are named, arrows have both ends inside a slice", arguments: ExportedTrace.Course.allCases,
        [1, 2, 3, 4, 5, 6] as [UInt64])
    func validates(course: ExportedTrace.Course, seed: UInt64) throws {
        try expectValid(ParsedPerfetto(ExportedTrace.random(course, seed: seed)))
    }

    @Test("Slices nest also when the records contradict one another", arguments: 0..<40 as Range<UInt64>)
    func soup(seed: UInt64) throws {
        try expectValid(ParsedPerfetto(ExportedTrace.soup(seed: seed)))
    }

    private func expectValid(_ parsed: ParsedPerfetto) throws {
        #expect(parsed.crossings.isEmpty)
        let names = parsed.trackNames
        #expect(parsed.slices.allSatisfy { names[$0.track] != nil })
        #expect(Set(names.values).count == names.count)
        let starts = parsed.events("s")
        let ends = parsed.events("f")
        #expect(!starts.isEmpty)
        #expect(starts.map { $0.number("id") }.sorted() == ends.map { $0.number("id") }.sorted())
        #expect(Set(starts.map { $0.number("id") }).count == starts.count)
        for end in starts + ends {
            let (track, time) = (try #require(end.number("tid")), try #require(end.nanoseconds("ts")))
            #expect(
                parsed.slices.contains {
                    $0.track == track && $0.start <= time && (time < $0.end || $0.start == $0.end && $0.start == time)
                })
        }
    }

    @Test(
        "A body's slices equal the report's started, ended and busy times", arguments: ExportedTrace.Course.allCases,
        [1, 2, 3, 4, 5, 6] as [UInt64])
    func spans(course: ExportedTrace.Course, seed: UInt64) throws {
        let trace = ExportedTrace.random(course, seed: seed)
        let parsed = try ParsedPerfetto(trace)
        var report = ""
        Report(of: trace.store, program: "p").writeJSON(to: &report)
        let bodies = Dictionary(grouping: parsed.slices.filter { $0.category == "task" }) { $0.arguments.number("task") ?? 0 }
        let suspensions = parsed.waits("suspended")
        var compared = 0
        for task in try JSONObject(report).list("tasks") {
            let id = try #require(task.number("id"))
            guard let started = task.number("started_ns") else { continue }
            let slices = try #require(bodies[id], "task \(id)").sorted { $0.start < $1.start }
            #expect(slices[0].start == started)
            if !isSuspended(id, in: trace) {
                #expect(suspensions[id] == nil)
                #expect(slices.count == 1)
                #expect(slices[0].end == max(task.number("ended_ns") ?? Int(trace.store.now), started))
            }
            compared += 1
            if course == .interleaved, isSuspended(id, in: trace) { continue }
            #expect(slices.reduce(0) { $0 + $1.end - $1.start } == task.number("busy_ns"))
        }
        #expect(compared > 50)
        guard course != .lossy else { return }
        #expect(Set(bodies.keys).count == compared)
    }

    /// A reader that meets a suspended task's end before its suspension cannot separate the periods in one pass.
    private func isSuspended(_ task: Int, in trace: ExportedTrace) -> Bool {
        (trace.store.task(TaskID(rawValue: UInt64(task)))?.suspendedTime ?? 0) > 0
    }

    @Test(
        "Arrows are the report's completed hops, and waits its queue times", arguments: ExportedTrace.Course.allCases, [7, 8] as [UInt64])
    func hopsAndWaits(course: ExportedTrace.Course, seed: UInt64) throws {
        let trace = ExportedTrace.random(course, seed: seed)
        let parsed = try ParsedPerfetto(trace)
        var report = ""
        Report(of: trace.store, program: "p").writeJSON(to: &report)
        let hops = try JSONObject(report).list("hops").filter { $0.number("wait_ns") != nil }
        if course == .complete || course == .cutOff { #expect(parsed.events("s").count == hops.count) }
        let waits = parsed.waits("queue")
        for task in try JSONObject(report).list("tasks") where course != .lossy {
            guard let id = task.number("id"), let queued = task.number("queued_ns"), let started = task.number("started_ns") else {
                continue
            }
            if course == .interleaved, isSuspended(id, in: trace) { continue }
            let wait = try #require(waits[id]?.first)
            #expect(wait.start == queued && wait.end == started)
        }
    }

    @Test("Evicted tasks are shown as far as their events go", arguments: [1, 2, 3] as [UInt64])
    func forgotten(seed: UInt64) throws {
        let random = RandomTrace(seed: seed, tasks: 300)
        let whole = try ParsedPerfetto(ExportedTrace(random.trace))
        let trace = ExportedTrace(random.trace.batch, entries: random.trace.entries, retention: Retention(endedTasks: 20))
        let parsed = try ParsedPerfetto(trace)
        #expect(trace.store.evictedCount > 200)
        #expect(parsed.crossings.isEmpty)
        let positions = { (parsed: ParsedPerfetto) in parsed.slices.map { [$0.track, $0.start, $0.end] } }
        #expect(positions(parsed) == positions(whole))
    }

    @Test("Concurrent jobs have separate tracks; consecutive ones share a track")
    func tracks() throws {
        var trace = TraceBuilder(at: 1)
        let pool = trace.executor("pool", .pool)
        let tasks = (0..<6).map { _ in trace.root("job", on: pool) }
        for (number, task) in tasks.enumerated() {
            trace.lane = UInt16(number % 3)
            trace.enqueue(task)
            trace.start(task)
            trace.advance(microseconds: 1)
            if number % 3 == 2 {
                for ended in tasks[(number - 2)...number] {
                    trace.lane = UInt16((ended.rawValue - 1) % 3)
                    trace.complete(ended)
                    trace.endJob(ended)
                }
            }
        }
        let parsed = try ParsedPerfetto(ExportedTrace(trace))
        #expect(parsed.trackNames.values.sorted() == ["pool", "pool #2", "pool #3"])
        #expect(parsed.crossings.isEmpty && parsed.slices.count == 6)
    }

    @Test("A suspended body frees its track and resumes as a second slice, where it ends")
    func suspension() throws {
        var trace = TraceBuilder(at: 1)
        let pool = trace.executor("pool", .pool)
        let inner = trace.source("inner")
        let outer = trace.root("outer", on: pool)
        trace.enqueue(outer)
        trace.start(outer)
        trace.advance(microseconds: 1)
        trace.wait(outer, forInner: inner)
        trace.endJob(outer)
        trace.run(trace.root("other", on: pool), milliseconds: 1)
        trace.complete(inner)
        trace.resume(outer)
        trace.advance(microseconds: 2)
        trace.complete(outer)
        let exported = ExportedTrace(trace)
        let parsed = try ParsedPerfetto(exported)
        let stretches = parsed.slices.filter { $0.name == "outer" && $0.category == "task" }
        #expect(stretches.map { $0.end - $0.start } == [1_000, 2_000])
        #expect(stretches.map { $0.arguments.number("stretch") } == [nil, 2])
        #expect(parsed.waits("suspended")[2]?.map { $0.end - $0.start } == [1_000_000])
        #expect(exported.store.task(outer)?.busy == 3_000)
        #expect(parsed.crossings.isEmpty)
    }

    @Test("Faults are instants, and losses and marks are shown")
    func instants() throws {
        var trace = SampleTrace.make()
        trace.lose(1_200)
        let parsed = try ParsedPerfetto(ExportedTrace(trace))
        #expect(
            parsed.events("i").map { $0.text("name") } == [
                "KinesisError.throttled", "Timeout(after: 3)", "NSError: The server\\nsaid no.", "AggregateError: 2 errors",
                "1,200 records lost",
            ])
        #expect(parsed.events("i", "fault").map { $0.object("args").text("manner") } == ["thrown", "thrown", "injected", "transformed"])
    }

    @Test("Damage of any lanes' records ends the jobs of all threads, and a loss of threads without a lane none")
    func lossesInNoLane() throws {
        func durations(_ manner: LossManner) throws -> [Int] {
            var trace = TraceBuilder(at: 1_000)
            let net = trace.executor("net", .queue)
            trace.start(.none, on: net)
            trace.advance(microseconds: 2)
            trace.mark("the last event of the lane")
            trace.advance(microseconds: 10)
            trace.lane = TraceBatch.noLane
            trace.emit(TaskEvent(.lost, other: 5, detail: manner.rawValue))
            trace.advance(microseconds: 10)
            trace.mark("later")
            return try ParsedPerfetto(ExportedTrace(trace)).slices.filter { $0.category == "job" }.map { $0.end - $0.start }
        }
        #expect(try durations(.ofAnyLane) == [2_000])
        #expect(try durations(.ofLane) == [22_000])
    }
}

extension [Int?] {
    fileprivate func sorted() -> [Int] { compactMap(\.self).sorted() }
}
