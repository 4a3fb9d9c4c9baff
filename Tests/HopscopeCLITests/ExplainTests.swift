import Foundation
import Testing
import TraceTestKit

/// `hopscope explain`, and recordings with a profile.
@Suite(.timeLimit(.minutes(3)))
struct ExplainTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    private func demo() async throws -> String {
        let path = scratch.path("demo.hop")
        let played = try await Hopscope.run("demo", "kinesis-submit-fails", "--speed", "10", "--no-ui", "--record", path)
        #expect(played.status == 0, "\(played.errors)")
        return path
    }

    @Test("Each explained task is a JSON object with the design's keys; its segments add up to its time")
    func json() async throws {
        let path = try await demo()
        let explained = try await Hopscope.run("explain", path, "--slowest", "3", "--json")
        #expect(explained.status == 0, "\(explained.errors)")
        let lines = explained.output.split(separator: "\n")
        #expect(lines.count == 3)
        var totals: [Int] = []
        for line in lines {
            let object = try JSONObject(String(line))
            #expect(Set(object.fields.keys) == ["task", "total_ns", "segments", "sentence"])
            let segments = object.list("segments")
            #expect(segments.reduce(0) { $0 + ($1.number("ns") ?? 0) } == object.number("total_ns"))
            for segment in segments {
                #expect(Set(segment.fields.keys) == ["kind", "ns", "task", "executor", "where", "behind", "peers_p50_ns"])
            }
            totals.append(object.number("total_ns") ?? 0)
        }
        #expect(totals == totals.sorted(by: >))
    }

    @Test("A task is explained by its number, and in words; --where chooses by the site")
    func words() async throws {
        let path = try await demo()
        let one = try await Hopscope.run("explain", path, "1")
        #expect(one.status == 0 && one.output.contains(", task 1\n"), "\(one.output)\(one.errors)")
        let report = try JSONObject(try await Hopscope.run("report", path, "--format", "json").output)
        let site = try #require(report.list("tasks").first?.text("site"))
        let there = try await Hopscope.run("explain", path, "--where", try #require(site.split(separator: "/").last.map(String.init)))
        #expect(there.status == 0 && there.output.contains(site), "\(there.output)\(there.errors)")
    }

    @Test("A change is answered in JSON with the design's keys")
    func change() async throws {
        let path = try await demo()
        let answered = try await Hopscope.run("explain", path, "--if", "net width 2", "--json")
        let object = try JSONObject(answered.output)
        #expect(Set(object.fields.keys) == ["change", "base", "new"], "\(answered.errors)")
        #expect(Set(object.object("base").fields.keys) == ["p50_ns", "p99_ns"] && object.text("change") == "net width 2")
    }

    @Test("What the trace does not have, and slips, are refused with a sentence")
    func refusals() async throws {
        let path = try await demo()
        let refused: [(arguments: [String], words: String)] = [
            (["99999"], "The trace has no task 99999."),
            (["--where", "No.swift:1"], "No ended task of the trace was made at 'No.swift:1'."),
            (["--if", "faster"], "'--if' takes a change"), (["--if", "none width 2"], "No job ran on an executor 'none'."),
            (["1", "--slowest", "2"], "A task's number names it"), (["--slowest", "0"], "'--slowest' takes the number"),
        ]
        for (arguments, words) in refused {
            let process = try await FinishedProcess.run([Hopscope.path, "explain", path] + arguments)
            #expect(process.status == 64 && process.errors.contains(words), "\(arguments): \(process.errors)")
        }
        let export = try await Hopscope.run("export", path, "--to", "folded")
        #expect(export.status == 64 && export.errors.contains("The trace has no samples"), "\(export.errors)")
    }

    @Test("With a profile, the time on the processor is the one that the tasks measured, and what waits in the kernel is blocked")
    func profile() async throws {
        let path = scratch.path("run.hop")
        let lanes = try scratch.privateFolder("lanes")
        let recorded = try await FinishedProcess.run(
            ["env", "HOPSCOPE=\(lanes)", Hopscope.path, "record", "--profile", "-o", path, "--", try WatchedProgram.shares.path()])
        #expect(recorded.status == 0, "\(recorded.errors)")
        let report = try JSONObject(try await Hopscope.run("report", path, "--format", "json").output)
        let tasks = Dictionary(report.list("tasks").map { ($0.text("name") ?? "", $0) }) { first, _ in first }
        guard !recorded.errors.contains("cannot be profiled") else {
            #expect(recorded.errors.contains("hopscope doctor"))
            #expect(tasks.values.allSatisfy { $0.object("time").number("on_cpu_ns") == nil })
            return
        }
        for line in recorded.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            let task = try #require(tasks[String(words[0])])
            let (time, truth) = (task.object("time"), try #require(Int(words[1])))
            let onCPU = try #require(time.number("on_cpu_ns"), "\(line)")
            // The task begins before its body and ends after it, and each of the hundreds of switches takes a microsecond or two. What the
            // host of a virtual machine takes from a processor is missing from the thread's own clock, and not from the time between two
            // switches.
            #expect(abs(onCPU - truth) <= 3_000_000 + truth / 10, "\(line): \(onCPU)")
            let parts = ["on_cpu_ns", "runnable_ns", "blocked_ns", "queued_ns", "awaiting_ns"].map { time.number($0) ?? 0 }
            #expect(parts.reduce(0, +) == (task.number("ended_ns") ?? 0) - (task.number("created_ns") ?? 0))
            if words[0] != "spins" { #expect(parts[2] >= 90_000_000, "\(line): \(parts)") }
        }
        let awaits = try #require(tasks["awaits"]).object("time")
        #expect((awaits.number("awaiting_ns") ?? 0) >= 45_000_000 && (awaits.number("on_cpu_ns") ?? .max) <= 5_000_000)
        let folded = try await Hopscope.run("export", path, "--to", "folded")
        #expect(folded.status == 0, "\(folded.errors)")
        // Each line is a stack and the number of its samples: 99 for a second on a processor.
        func samples(with frame: String) -> Int {
            let lines = folded.output.split(separator: "\n").filter { $0.contains(frame) }
            return lines.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
        }
        let spun = try #require(tasks["spins"]?.object("time").number("on_cpu_ns"))
        #expect((spun * 99 / 2...spun * 99 * 3 / 2).contains(samples(with: "spins #") * 1_000_000_000), "\(folded.output)")
        // A sample can fall into code without a name, such as the first instructions of a call between two files.
        #expect(samples(with: ";unknown") <= samples(with: " ") / 10, "\(folded.output)")
    }
}
