import Foundation
import Testing
import TraceTestKit

/// Holding, stepping and injecting in a real terminal. The walkthrough steps job by job.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SteppingTests {
    /// The task names in the Graph's rails, from top to bottom.
    private static func chain(in screen: TerminalScreen) -> [String] {
        screen.rows.dropFirst(2).compactMap { row in
            row.contains("●") ? row.split(separator: " ").first { $0.first?.isLetter == true }.map(String.init) : nil
        }
    }

    /// The steps of the path on Faults: name and role.
    private static func path(in screen: TerminalScreen) -> [String] {
        let roles = ["thrown", "injected", "forwarded", "transformed", "read", "recovered", "swallowed", "unobserved"]
        return screen.rows.compactMap { row in
            let words = row.split(separator: " ")
            guard words.count > 3, Int(words[0]) != nil, let role = words.first(where: { roles.contains(String($0)) }) else { return nil }
            return "\(words[2]) \(role)"
        }
    }

    @Test("An injected error takes the path that the graph predicts", arguments: 1...3)
    func injectedErrorTakesThePredictedPath(index: Int) async throws {
        try await TerminalSession.run("demo", "gini-valedictorian", "--hold", columns: 120, rows: 36) { terminal in
            // Before any job has run, the graph is one chain with its handler behind all tasks that may fail.
            try await terminal.wait(for: "held")
            try await terminal.press("2")
            let graph = try await terminal.wait(for: "the whole chain") { Self.chain(in: $0).count == 5 }
            let chain = Self.chain(in: graph)
            let handler = try #require(chain.firstIndex(of: "handleError"))
            let predicted =
                ["\(chain[index - 1]) injected"] + chain[index..<handler].map { "\($0) forwarded" } + ["\(chain[handler]) recovered"]
            try await terminal.press("Home")
            for _ in 1..<index { try await terminal.press("Down") }
            try await terminal.press("X")
            try await terminal.wait(for: "\(chain[index - 1]) was made to fail.")
            try await terminal.press("b")
            try await terminal.wait(for: "■ ended")
            try await terminal.press("5")
            let faults = try await terminal.wait(for: "the path to its end") { Self.path(in: $0).last?.hasSuffix(" recovered") ?? false }
            #expect(Self.path(in: faults) == predicted)
        }
    }

    @Test("Attached to a program that is held from the start, the inspector runs to a job that a query matches, steps, and releases all")
    func attached() async throws {
        let scratch = try ScratchFolder()
        let lanes = try scratch.privateFolder("lanes")
        try scratch.write(
            """
            HOPSCOPE=$2 "$1" demo gini-valedictorian --hold --no-ui >"$2/../printed" 2>&1 &
            until [ -e "$2"/*.hoplanes ]; do :; done
            HOPSCOPE=$2 exec "$1" attach $!
            """, to: "attach.sh")
        try await TerminalSession.run(scratch.path("attach.sh"), Hopscope.path, lanes, program: "sh", columns: 120) { terminal in
            // Another client holds the jobs; the trace says so.
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("1")
            try await terminal.wait(for: "what is held") { $0.rows[0].contains("held") && $0.sentences.contains("held findAsync") }
            try await terminal.press("B")
            try await terminal.wait(for: ":run to")
            try await terminal.press("on:main", "Enter")
            try await terminal.wait(for: "handleError is held: it matches the query.")
            let screen = try await terminal.screen()
            #expect(screen.sentences.contains("✗ faulted setValedictorian") && screen.sentences.contains("○ pending everythingIsDone"))
            try await terminal.press("i")
            try await terminal.wait(for: "handleError was released to main.")
            try await terminal.wait(for: "the next job") { $0.sentences.contains("held everythingIsDone") }
            try await terminal.press("b")
            try await terminal.wait(for: "the end") { $0.sentences.contains("✓ succeeded everythingIsDone") }
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
    }

    @Test("--hold without an inspector to release the jobs is wrong usage")
    func holdingForNobody() async throws {
        let process = try await Hopscope.run("demo", "gini-valedictorian", "--hold", "--no-ui")
        #expect(process.status == 64 && process.errors.contains("hopscope attach"))
    }
}
