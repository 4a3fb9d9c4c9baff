import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@testable import TraceReport

@Suite struct JSONReportTests {
    @Test("The complete report of a small trace has this text")
    func golden() {
        #expect(
            SampleTrace.json(of: SampleTrace.make()) == #"""
                {"format":1,"program":"kinesis-save-fails","duration_ns":13790000,"events":31,"lost":0,"ended":false,
                "tasks":[
                {"adopted":false,"antecedents":[],"busy_ns":12100000,"chain":1,"created_ns":0,"ended_ns":12400000,"error":{"message":"throttled","type":"KinesisError"},"executor":"net","hops":0,"id":1,"kind":"root","name":"saveRecord","open":false,"queued_ns":0,"role":"thrown","site":"App/main.swift:12","started_ns":300000,"state":"faulted","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":300000,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:12"},
                {"adopted":false,"antecedents":[1],"busy_ns":0,"chain":1,"created_ns":12400000,"ended_ns":12400000,"error":{"message":"throttled","type":"KinesisError"},"executor":"net","hops":0,"id":2,"kind":"continuation","name":"submitAllRecords","open":false,"queued_ns":null,"role":"forwarded","site":"App/main.swift:13","started_ns":null,"state":"faulted","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":0,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:13"},
                {"adopted":false,"antecedents":[2],"busy_ns":200000,"chain":1,"created_ns":12400000,"ended_ns":13700000,"error":null,"executor":"main","hops":1,"id":3,"kind":"continuation","name":"report","open":false,"queued_ns":12400000,"role":"recovered","site":"App/main.swift:14","started_ns":13500000,"state":"succeeded","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":1100000,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:14"},
                {"adopted":false,"antecedents":[3],"busy_ns":40000,"chain":1,"created_ns":13700000,"ended_ns":13790000,"error":null,"executor":"net","hops":1,"id":4,"kind":"continuation","name":"store","open":false,"queued_ns":13700000,"role":null,"site":"App/main.swift:15","started_ns":13750000,"state":"succeeded","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":50000,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:15"},
                {"adopted":false,"antecedents":[],"busy_ns":0,"chain":5,"created_ns":13790000,"ended_ns":13790000,"error":{"message":"Timeout(after: 3)","type":"Timeout"},"executor":null,"hops":0,"id":5,"kind":"source","name":"request\u001b[2J","open":false,"queued_ns":null,"role":"thrown","site":"App/main.swift:20","started_ns":null,"state":"faulted","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":0,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:20"},
                {"adopted":false,"antecedents":[],"busy_ns":0,"chain":6,"created_ns":13790000,"ended_ns":13790000,"error":{"message":"The server\nsaid no.","type":"NSError"},"executor":null,"hops":0,"id":6,"kind":"source","name":"zweite Anfrage","open":false,"queued_ns":null,"role":"injected","site":"App/main.swift:21","started_ns":null,"state":"faulted","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":0,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:21"},
                {"adopted":false,"antecedents":[5,6],"busy_ns":0,"chain":7,"created_ns":13790000,"ended_ns":13790000,"error":{"message":"2 errors","type":"AggregateError"},"executor":null,"hops":0,"id":7,"kind":"join","name":"whenAll","open":false,"queued_ns":null,"role":"unobserved","site":"App/main.swift:22","started_ns":null,"state":"faulted","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":0,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:22"},
                {"adopted":false,"antecedents":[4],"busy_ns":0,"chain":1,"created_ns":13790000,"ended_ns":13790000,"error":null,"executor":"default","hops":0,"id":8,"kind":"continuation","name":"late","open":false,"queued_ns":null,"role":null,"site":"App/main.swift:23","started_ns":null,"state":"cancelled","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":0,"runnable_ns":null},"waits_for":null,"where":"App/main.swift:23"},
                {"adopted":false,"antecedents":[],"busy_ns":0,"chain":9,"created_ns":13790000,"ended_ns":null,"error":null,"executor":null,"hops":0,"id":9,"kind":"delay","name":"delay","open":false,"queued_ns":null,"role":null,"site":"App/main.swift:24","started_ns":null,"state":"pending","time":{"awaiting_ns":0,"blocked_ns":0,"on_cpu_ns":null,"queued_ns":0,"runnable_ns":null},"waits_for":{"cause":null,"executor":null,"holder":null,"io":null,"kind":"timer","position":null,"task":null,"where":null},"where":"App/main.swift:24"}
                ],
                "blocks":{"count":0,"places":[]},
                "executors":[
                {"busy_ns":200000,"id":1,"jobs":1,"kind":"main","longest_job_ns":200000,"max_depth":1,"name":"main","wait_p50_ns":1100000,"wait_p99_ns":1100000},
                {"busy_ns":12140000,"id":2,"jobs":2,"kind":"queue","longest_job_ns":12100000,"max_depth":1,"name":"net","wait_p50_ns":50015,"wait_p99_ns":300000},
                {"busy_ns":0,"id":3,"jobs":0,"kind":"default","longest_job_ns":null,"max_depth":0,"name":"default","wait_p50_ns":null,"wait_p99_ns":null}
                ],
                "faults":[
                {"error":{"message":"throttled","type":"KinesisError"},"origin":1,"path":[{"role":"thrown","task":1,"where":null},{"role":"forwarded","task":2,"where":null},{"role":"recovered","task":3,"where":null}],"verdict":"recovered"},
                {"error":{"message":"Timeout(after: 3)","type":"Timeout"},"origin":5,"path":[{"role":"thrown","task":5,"where":null},{"role":"unobserved","task":7,"where":null}],"verdict":"unobserved"},
                {"error":{"message":"The server\nsaid no.","type":"NSError"},"origin":6,"path":[{"role":"injected","task":6,"where":null},{"role":"unobserved","task":7,"where":null}],"verdict":"unobserved"}
                ],
                "cancellations":[
                {"at_ns":13790000,"by":{"task":null,"where":null},"reached":[{"at_ns":13790000,"ended_ns":13790000,"handlers":[],"looked_ns":null,"task":8}]}
                ],
                "hops":[
                {"class":"bounce","from":"net","task":3,"to":"main","wait_ns":1100000},
                {"class":"bounce","from":"main","task":4,"to":"net","wait_ns":50000}
                ],
                "warnings":[
                {"evidence":[{"at_ns":13790000,"event":"faulted","executor":null,"task":5},{"at_ns":13790000,"event":"faulted","executor":null,"task":7}],"message":"`request\\u{1B}[2J` failed with Timeout(after: 3), and the error was never read. It was passed on to 1 more task, and was never read there either.","rule":"unobserved-fault","severity":"error","task":5,"where":"App/main.swift:20"},
                {"evidence":[{"at_ns":13790000,"event":"faulted","executor":null,"task":6},{"at_ns":13790000,"event":"faulted","executor":null,"task":7}],"message":"`zweite Anfrage` failed with NSError: The server\\nsaid no., and the error was never read. It was passed on to 1 more task, and was never read there either.","rule":"unobserved-fault","severity":"error","task":6,"where":"App/main.swift:21"}
                ],
                "rules":[
                \#(Self.rules)
                ],
                "sites":[
                {"created":1,"growth_per_s":0,"live":1,"oldest_ns":0,"where":"App/main.swift:24"}
                ]}
                """# + "\n")
    }

    /// All rules, each on a line: all but one were checked.
    private static let rules = WarningRules.all.map { rule in
        let why = rule.missingSetting(WarningSettings()).map { "\"\($0)\"" } ?? "null"
        return #"{"checked":\#(why == "null"),"rule":"\#(rule.id)","why":\#(why)}"#
    }
    .joined(separator: ",\n")

    @Test("Two reports of one trace are the same bytes")
    func isStable() {
        let store = SampleTrace.make().store()
        var one = ""
        var other = ""
        Report(of: store, program: "p").writeJSON(to: &one)
        Report(of: store, program: "p").writeJSON(to: &other)
        #expect(one == other)
        #expect(SampleTrace.json(of: SampleTrace.make()) == SampleTrace.json(of: SampleTrace.make()))
    }

    // MARK: Keys

    private typealias Object = [String: Any]

    private func parse(_ text: String) throws -> Object {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Object)
    }

    private func list(_ key: String, of report: Object) throws -> [Object] {
        try #require(report[key] as? [Object], "\(key)")
    }

    @Test("Every object has exactly the keys of the design")
    func keys() throws {
        let report = try parse(SampleTrace.json(of: SampleTrace.make()))
        let top: Set = [
            "format", "program", "duration_ns", "events", "lost", "ended", "tasks", "blocks", "executors", "faults", "cancellations",
            "hops",
            "warnings", "rules", "sites",
        ]
        #expect(Set(report.keys) == top)
        let keys: [String: Set<String>] = [
            "tasks": [
                "adopted", "id", "name", "kind", "state", "chain", "antecedents", "executor", "created_ns", "queued_ns", "started_ns",
                "ended_ns",
                "busy_ns", "hops", "site", "where", "waits_for", "open", "error", "role", "time",
            ],
            "executors": ["id", "name", "kind", "jobs", "max_depth", "wait_p50_ns", "wait_p99_ns", "busy_ns", "longest_job_ns"],
            "faults": ["origin", "error", "path", "verdict"],
            "cancellations": ["by", "at_ns", "reached"],
            "hops": ["task", "from", "to", "wait_ns", "class"],
            "warnings": ["rule", "severity", "task", "where", "message", "evidence"],
            "rules": ["rule", "checked", "why"],
            "sites": ["where", "live", "created", "oldest_ns", "growth_per_s"],
        ]
        for (list, keys) in keys {
            let objects = try self.list(list, of: report)
            #expect(!objects.isEmpty)
            for object in objects { #expect(Set(object.keys) == keys, "\(list)") }
        }
        for task in try list("tasks", of: report) {
            let time = try #require(task["time"] as? Object)
            #expect(Set(time.keys) == ["on_cpu_ns", "runnable_ns", "blocked_ns", "queued_ns", "awaiting_ns"])
        }
        for fault in try list("faults", of: report) {
            #expect((fault["error"] as? Object).map { Set($0.keys) } == ["type", "message"])
            for step in try list("path", of: fault) { #expect(Set(step.keys) == ["task", "role", "where"]) }
        }
    }

    @Test("An empty trace's report has all keys")
    func empty() throws {
        let report = try parse(SampleTrace.json(of: TraceBuilder()))
        #expect(report.count == 15)
        for key in ["tasks", "executors", "faults", "hops", "warnings"] { #expect(try list(key, of: report).isEmpty) }
        #expect(report["format"] as? Int == 1)
        #expect(report["lost"] as? Int == 0)
    }

    @Test("A time or role that does not exist is null: a queued job, an undecided role, a thread of no executor")
    func nulls() throws {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let root = trace.create(.root)
        trace.fault(root, type: "Boom")
        let waiting = trace.continuation("waiting", of: root, on: queue)
        trace.hop(waiting, from: .none)
        trace.enqueue(waiting)
        let report = try parse(SampleTrace.json(of: trace))
        let hop = try #require(try list("hops", of: report).first)
        #expect(hop["from"] is NSNull && hop["wait_ns"] is NSNull && hop["to"] as? String == "queue")
        let step = try #require(try list("path", of: list("faults", of: report)[0]).last)
        #expect(step["task"] as? Int == 2 && step["role"] is NSNull)
        let tasks = try list("tasks", of: report)
        #expect(tasks[0]["name"] as? String == "task 1")
        #expect(["site", "executor", "queued_ns", "started_ns"].allSatisfy { tasks[0][$0] is NSNull })
        #expect(["started_ns", "ended_ns", "role", "error"].allSatisfy { tasks[1][$0] is NSNull })
        let executor = try #require(try list("executors", of: report).first)
        #expect(["wait_p50_ns", "wait_p99_ns", "longest_job_ns"].allSatisfy { executor[$0] is NSNull })
        #expect(executor["max_depth"] as? Int == 1)
    }

    @Test("Tasks are sorted by id, executors with main first, hops by time then task")
    func order() throws {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let main = trace.executor("main", .main)
        let root = trace.root("root", on: queue)
        let one = trace.continuation("one", of: root, on: queue)
        let other = trace.continuation("other", of: root, on: main)
        let third = trace.continuation("third", of: root, on: main)
        trace.hop(third)
        trace.hop(one)
        trace.advance(nanoseconds: 1)
        trace.hop(other)
        let report = try parse(SampleTrace.json(of: trace))
        #expect(try list("tasks", of: report).map { $0["id"] as? Int } == [1, 2, 3, 4])
        #expect(try list("executors", of: report).map { $0["name"] as? String } == ["main", "queue"])
        #expect(try list("hops", of: report).map { $0["task"] as? Int } == [2, 4, 3])
    }

    @Test("Keys are sorted in every inner object")
    func sorted() throws {
        let text = SampleTrace.json(of: SampleTrace.make())
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("{") && !$0.hasPrefix("{\"format\"") }
        #expect(lines.count > 15)
        for line in lines {
            let line = line.hasSuffix(",") ? line.dropLast() : line
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let again = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
            #expect(line == String(decoding: again, as: UTF8.self))
        }
    }

    @Test(
        "A name with control characters is escaped, and read back unchanged",
        arguments: [
            "\u{9B}31m", "a\u{7F}b", "\u{202E}txt", "\u{61C}\u{200F}", "one\u{2028}two", "\u{2066}x\u{2069}", "\u{FEFF}",
            "\u{8}\u{C}\u{1B}",
        ])
    func hostile(name: String) throws {
        var trace = TraceBuilder()
        let queue = trace.executor(name, .queue)
        let root = trace.root(name, on: queue)
        trace.fault(root, type: name, message: name)
        var text = ""
        Report(of: trace.store(), program: name).writeJSON(to: &text)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || (" "..."~").contains($0) || !name.unicodeScalars.contains($0) })
        let report = try parse(text)
        let task = try list("tasks", of: report)[0]
        #expect([report["program"], task["name"], task["executor"]].allSatisfy { $0 as? String == name })
        #expect((task["error"] as? Object)?["message"] as? String == name)
    }

    @Test("A long report is written in pieces")
    func pieces() {
        struct Pieces: TextOutputStream {
            var sizes: [Int] = []
            mutating func write(_ text: String) { sizes.append(text.utf8.count) }
        }
        var trace = TraceBuilder()
        for number in 0..<5000 { trace.complete(trace.create(.source, "task \(number)")) }
        var pieces = Pieces()
        Report(of: trace.store(), program: "p").writeJSON(to: &pieces)
        #expect(pieces.sizes.reduce(0, +) > 500_000)
        #expect(pieces.sizes.allSatisfy { $0 < 40_000 })
    }

    @Test("The report of a trace with gaps counts the lost records, and an unseen creation is null")
    func gaps() throws {
        var trace = TraceBuilder()
        trace.lose(7)
        let unseen = trace.reserveTask()
        trace.complete(unseen)
        let report = try parse(SampleTrace.json(of: trace))
        #expect(report["lost"] as? Int == 7)
        let task = try #require(try list("tasks", of: report).first)
        #expect(task["created_ns"] is NSNull && task["state"] as? String == "succeeded")
    }
}
