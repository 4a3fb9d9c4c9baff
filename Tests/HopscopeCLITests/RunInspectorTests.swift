import Foundation
import Testing
import TraceTestKit

/// `hopscope run` with the inspector, in a real terminal.
@Suite(.timeLimit(.minutes(3)))
struct RunInspectorTests {
    @Test("The inspector shows a program's tasks and output, sends keys to it, and exits with its status")
    func showsAndTypes() async throws {
        let script = "\"$0\" tasks; printf 'your name? '; read name; stty size; echo \"hello $name\"; exit 5"
        try await TerminalSession.run("run", "--", "sh", "-c", script, try WatchedProgram.swift.path(), columns: 100) { terminal in
            try await terminal.wait(for: "answer")
            try await terminal.press("8")
            try await terminal.wait(for: "did tasks")
            try await terminal.wait(for: "your name?")
            try await terminal.press("Enter")
            try await terminal.wait(for: "Keys go to the program")
            // In this mode the digit is input for the program.
            try await terminal.press("A", "n", "n", "1", "Enter")
            try await terminal.wait(for: "hello Ann1", "19 100")
            try await terminal.wait(for: "The program has ended.")
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "5")
            #expect(end.modes == .restored)
            // The program's output is on the terminal too.
            #expect(try await terminal.screen().text.contains("hello Ann1"))
        }
    }

    @Test("A new terminal size reaches the program")
    func resizes() async throws {
        let script = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done"
        try await TerminalSession.run("run", "--", "sh", "-c", script) { terminal in
            try await terminal.press("8")
            try await terminal.wait(for: "ready")
            try await terminal.resize(columns: 90, rows: 30)
            try await terminal.wait(for: "25 90")
            try await terminal.press("Enter", "C-c")
            try await terminal.wait(for: "The program has ended.")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "130")
        }
    }

    @Test("A program that outlives the inspector keeps the terminal, whose keys then send signals")
    func goesOn() async throws {
        let script = "trap 'echo interrupted' INT; echo ready; until read line; do :; done; echo \"got $line\"; exit 4"
        try await TerminalSession.run("run", "--", "sh", "-c", script) { terminal in
            try await terminal.press("8")
            try await terminal.wait(for: "ready")
            try await terminal.press("q")
            try await terminal.wait(for: "The program still runs.")
            try await terminal.press("Escape")
            try await terminal.wait(for: "no question") { !$0.text.contains("The program still runs.") }
            try await terminal.press("q")
            try await terminal.wait(for: "The program still runs.")
            try await terminal.press("Enter")
            try await terminal.wait(for: "continues here")
            try await terminal.press("C-c")
            try await terminal.wait(for: "interrupted")
            try await terminal.press("w", "o", "r", "d", "Enter")
            try await terminal.wait(for: "got word")
            let end = try await terminal.ended()
            #expect(end.status == "4")
            #expect(end.modes == .restored)
        }
    }

    @Test("Ending the program ends what it has started, also in a session of its own")
    func endsAll() async throws {
        let folder = try ScratchFolder()
        let child = "trap 'echo ended > \"$0\"; exit' TERM; echo started; while :; do sleep 0.02; done"
        let script = "setsid sh -c \"$1\" \"$0\" & wait"
        try await TerminalSession.run("run", "--", "sh", "-c", script, folder.path("end"), child) { terminal in
            try await terminal.press("8")
            try await terminal.wait(for: "started")
            try await terminal.press("q")
            try await terminal.wait(for: "The program still runs.")
            try await terminal.press("e")
            #expect(try await terminal.ended().status == "143")
        }
        #expect(await eventually { FileManager.default.fileExists(atPath: folder.path("end")) })
    }

    @Test("A signal that ends the inspector reaches the program, whose status is passed on", arguments: [SIGTERM, SIGHUP, SIGINT])
    func passesSignals(signal: Int32) async throws {
        let script = "trap 'echo trapped; exit 9' TERM HUP INT; echo ready; while :; do sleep 0.02; done"
        try await TerminalSession.run("run", "--", "sh", "-c", script) { terminal in
            try await terminal.press("8")
            try await terminal.wait(for: "ready")
            try await terminal.signal(signal)
            let end = try await terminal.ended()
            #expect(end.status == "9")
            #expect(end.modes == .restored)
            #expect(try await terminal.screen().text.contains("trapped"))
        }
    }

    @Test("The busiest of several processes is opened, and the palette selects another")
    func processes() async throws {
        let script = "\"$0\" tasks; \"$0\" fault; read line"
        try await TerminalSession.run("run", "--", "sh", "-c", script, try WatchedProgram.swift.path(), columns: 100) { terminal in
            try await terminal.wait(for: "careless")
            try await terminal.press(":")
            try await terminal.wait(for: "Commands")
            try await terminal.press("p", "r", "o", "c", "e", "s", "s")
            func other(in screen: TerminalScreen) -> Substring? {
                let row = screen.rows.first { $0.contains("process ") && !$0.contains("(this one)") && $0.contains(": swift") }
                return row?.firstMatch(of: /process ([0-9]+),/)?.1
            }
            let screen = try await terminal.wait(for: "both processes") { $0.text.contains("(this one)") && other(in: $0) != nil }
            let pid = try #require(other(in: screen))
            for digit in pid { try await terminal.press(String(digit)) }
            try await terminal.press("Enter")
            try await terminal.wait(for: "answer")
            try await terminal.press("8", "Enter", "Enter")
            try await terminal.wait(for: "The program has ended.")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
    }

    @Test("Another shell can list and attach to a program under run")
    func attaches() async throws {
        let folder = try ScratchFolder()
        let script = "\"$0\" tasks; echo ready; read line"
        let lanes = try folder.privateFolder("lanes")
        // A directory in which no other program publishes.
        let environment = ["HOPSCOPE": lanes, "XDG_RUNTIME_DIR": folder.path, "TMPDIR": folder.path]
        let elsewhere = ["env"] + environment.map { "\($0)=\($1)" } + [Hopscope.path]
        try await TerminalSession.run(
            "run", "--", "sh", "-c", script, try WatchedProgram.swift.path(), environment: environment
        ) { terminal in
            try await terminal.wait(for: "answer")
            let list = try await FinishedProcess.run(elsewhere + ["list"])
            let row = try #require(list.output.split(separator: "\n").last)
            #expect(row.contains("swift"))
            let pid = String(row.split(separator: " ")[0])
            let report = try await FinishedProcess.run(elsewhere + ["report", pid])
            #expect(report.status == 0 && report.output.contains("2 tasks"), "\(list.output)\(report.errors)\(report.output)")
            try await terminal.press("8", "Enter", "Enter")
            // The events say "suspended until answer has ended", so the whole sentence is awaited.
            try await terminal.wait(for: "The program has ended.")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
        // The run leaves no file.
        #expect(try FileManager.default.contentsOfDirectory(atPath: lanes).isEmpty)
    }

    @Test("An invisible error is shown while the program runs: its task, its type and the place that threw it")
    func invisibleError() async throws {
        _ = try await timeToInvisibleError()
    }

    @Test("An invisible error is shown within a second of the throw", .enabled(if: TimedTests.areWanted))
    func invisibleErrorIsShownSoon() async throws {
        #expect(try await timeToInvisibleError() < .seconds(1))
    }

    /// Returns the time from the program's message that it has thrown to the screen that shows the error.
    private func timeToInvisibleError() async throws -> Duration {
        let program = try WatchedProgram.invisibleError.path()
        var took = Duration.zero
        try await TerminalSession.run("run", "--", program, columns: 120, rows: 30) { terminal in
            try await terminal.press("8")
            try await terminal.wait(for: "thrown")
            let thrown = ContinuousClock.now
            try await terminal.press("5")
            let screen = try await terminal.wait(for: "the error, its task and its place") { screen in
                ["saveDraft", "DraftError", "thrown in InvisibleError.swift:19"].allSatisfy(screen.text.contains)
            }
            took = ContinuousClock.now - thrown
            #expect(screen.text.contains("▶ live"))
            try await terminal.press("8", "Enter", "Enter")
            try await terminal.wait(for: "The program has ended.")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
        return took
    }
}
