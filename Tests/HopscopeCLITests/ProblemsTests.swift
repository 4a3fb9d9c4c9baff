import Foundation
import Testing

/// What the first screen of `hopscope run` tells, without a key, of twelve programs with a planted problem and of their healthy twins.
@Suite(.timeLimit(.minutes(10)))
struct ProblemsTests {
    /// A problem: the function of the program, a pattern of what the first screen must say of the cause (which of several tasks
    /// failed first is the program's to decide), and the line that it must name.
    struct Problem: Sendable, CustomTestStringConvertible {
        let function: String
        let cause: String
        let line: String
        var testDescription: String { function }
    }

    static let problems = [
        Problem(
            function: "lostError", cause: #"5x charge \d+ failed with PaymentDeclined, and the error was never read"#,
            line: "throw Payment"),
        Problem(function: "stuckRequest", cause: "request 7 has waited", line: "await withCheckedContinuation { continuation in"),
        Problem(function: "stuckHandler", cause: "10 tasks wait for a continuation", line: "await withUnsafeContinuation"),
        Problem(function: "mainBlocked", cause: "kept main busy for 1.5", line: "let hash = Task"),
        Problem(function: "hotActor", cause: "Inventory is crowded", line: "await inventory.reserve()"),
        Problem(function: "silentStream", cause: "main has waited", line: "for await number in stream { return"),
        Problem(function: "leak", cause: "their number has only grown", line: "Task { await session"),
        Problem(function: "hopStorm", cause: "total went to and fro between main and global", line: "await add(&sum, number)"),
        Problem(function: "awaitRing", cause: "none of them can end", line: "handles.left = Task"),
        Problem(function: "lockRing", cause: "2 tasks wait for a continuation", line: "await withCheckedContinuation { waiting"),
        Problem(function: "blockedRead", cause: "reader has blocked its thread", line: "_ = read("),
        Problem(function: "heldPool", cause: "for a thread of Swift's pool", line: "    semaphore.wait()"),
    ]

    @Test("The first screen names the problem and its line, without a key", arguments: problems)
    func isTold(problem: Problem) async throws {
        let cause = try Regex(problem.cause)
        let line = try WatchedProgram.line(of: problem.line, in: "Problems.swift")
        try await run(problem.function) { terminal in
            try await terminal.wait(for: "\(problem.cause) and Problems.swift:\(line)") { screen in
                // A sentence can go on in the next line.
                let text = screen.rows.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: " ")
                return text.contains(cause) && text.contains("Problems.swift:\(line)") && !text.contains("✓ No rule")
            }
        }
    }

    @Test("The same program without its problem has the tick, also when it has run for longer than a wait may last", arguments: problems)
    func isCalm(problem: Problem) async throws {
        try await run(problem.function, "well") { terminal in
            try await terminal.wait(for: "three seconds of the trace") { $0.rows[0].contains(/00:0[3-9]\.[0-9]+ *$/) }
            let screen = try await terminal.screen()
            #expect(screen.text.contains("✓ No rule has found anything so far"), "\(screen.text)")
        }
    }

    private func run(_ arguments: String..., body: (TerminalSession) async throws -> Void) async throws {
        let program = try WatchedProgram.problems.path()
        try await TerminalSession.run(["run", "--", program] + arguments, columns: 120, rows: 36) { terminal in
            try await body(terminal)
            try await terminal.press("8", "Enter", "C-c")
            try await terminal.wait(for: "The program has ended.")
            try await terminal.press("q")
            #expect(try await terminal.ended().modes == .restored)
        }
    }
}
