import Foundation
import Testing
import TraceTestKit

/// The progress that commands show while they read or write a large trace.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ProgressTests {
    private static func largeTrace(in scratch: ScratchFolder) async throws -> String {
        let trace = scratch.path("large.hop")
        let process = try await Hopscope.run(
            "demo", "load", "--tasks", "80000", "--speed", "1000", "--no-ui", "--report", "json", "--record", trace)
        #expect(process.status == 0)
        return trace
    }

    @Test("A terminal shows and erases the progress of reading and writing; without a terminal no progress is shown")
    func exporting() async throws {
        let scratch = try ScratchFolder()
        let trace = try await Self.largeTrace(in: scratch)
        let result = scratch.path("events.jsonl")
        try await TerminalSession.run("export", trace, "--to", "jsonl", "-o", result) { terminal in
            try await terminal.wait(for: "how much has been read") { $0.text.contains("Reading load: ") && $0.text.contains(" % of ") }
            try await terminal.wait(for: "how much has been written") { $0.text.contains("Writing: ") && $0.text.contains(" % of ") }
            #expect(try await terminal.ended().status == "0")
            let screen = try await terminal.screen()
            #expect(screen.words.isEmpty, "\(screen.text)")
        }
        let size = try FileManager.default.attributesOfItem(atPath: result)[.size] as? Int
        #expect(size ?? 0 > 1_000_000)
        let silent = try await Hopscope.run("export", trace, "--to", "dot", "-o", scratch.path("graph.dot"))
        #expect(silent.status == 0 && silent.errors.isEmpty && silent.output.isEmpty)
    }

    @Test("On a terminal, ps names the process that it looks at")
    func processes() async throws {
        let command = ["script", "-qec", "\(Hopscope.path) ps \(getpid())", "/dev/null"]
        let one = try await FinishedProcess.run(command)
        #expect(one.output.contains("Looking at '\(getpid())'…"), "\(one.output)")
        let all = try await FinishedProcess.run(["script", "-qec", "\(Hopscope.path) ps", "/dev/null"])
        #expect(all.output.contains("Looking at the processes…"), "\(all.output)")
        #expect(try await !Hopscope.run("ps").errors.contains("Looking"))
    }
}
