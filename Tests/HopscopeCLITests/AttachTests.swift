import Foundation
import Testing
import TraceTestKit

/// The inspector attached to another process, and opened by a program on itself.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AttachTests {
    @Test("The inspector follows a running program to its end, and attaches to the trace that the program left")
    func followsAProgram() async throws {
        let scratch = try ScratchFolder()
        let lanes = try scratch.privateFolder("lanes")
        // The program runs while the inspector attaches to it by its process id.
        try scratch.write(
            """
            HOPSCOPE=$2 "$1" demo load --tasks 4000000 --speed 0.001 --no-ui >/dev/null 2>&1 & echo $! >"$2/../program"
            until [ -e "$2"/*.hoplanes ]; do :; done
            HOPSCOPE=$2 exec "$1" attach "$(cat "$2/../program")"
            """, to: "attach.sh")
        try await TerminalSession.run(scratch.path("attach.sh"), Hopscope.path, lanes, program: "sh", columns: 120) { terminal in
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("1")
            try await terminal.wait(for: "live", "fetch", "load")
            // Control goes the other way: the program's jobs are held, stepped and released.
            try await terminal.press("b")
            try await terminal.wait(for: "the gates' state in the header") { $0.rows[0].contains("held") }
            try await terminal.press("i")
            try await terminal.press("b")
            try await terminal.wait(for: "no gate held") { !$0.rows[0].contains("held") }
            let program = try #require(pid_t(scratch.text("program")?.dropLast() ?? ""))
            #expect(kill(program, SIGKILL) == 0)
            try await terminal.wait(for: "■ ended")
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0")
            #expect(end.modes == .restored)
        }
        // The user's own traces are in another directory.
        let environment = ["HOPSCOPE": lanes, "XDG_RUNTIME_DIR": scratch.path, "TMPDIR": scratch.path]
        try await TerminalSession.run("attach", environment: environment) { terminal in
            try await terminal.wait(for: "■ ended")
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("1")
            try await terminal.wait(for: "fetch")
            try await terminal.press("b")
            try await terminal.wait(for: "takes no commands")
        }
    }

    @Test("A Swift process that publishes nothing is shown by snapshots, which the header says, until it ends")
    func showsAnUnpreparedProcess() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(
            """
            "$2" >/dev/null & echo $! >"$3"
            until [ "$(ls /proc/$!/task | wc -l)" -gt 1 ]; do :; done
            exec "$1" attach $!
            """, to: "attach.sh")
        let program = try WatchedProgram.sleeping.path()
        try await TerminalSession.run(
            scratch.path("attach.sh"), Hopscope.path, program, scratch.path("program"), program: "sh", columns: 120
        ) { terminal in
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("1")
            let screen = try await terminal.wait(for: "waiter", "suspended")
            #expect(screen.rows[0].contains("snapshots, 2 a second"))
            try await terminal.press("7")
            try await terminal.wait(for: "Not checked")
            try await terminal.press("b")
            try await terminal.wait(for: "can only be looked at")
            let pid = try #require(pid_t(scratch.text("program")?.dropLast() ?? ""))
            #expect(kill(pid, SIGKILL) == 0)
            try await terminal.wait(for: "■ ended")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
    }

    @Test("The events left by a program that outran its lanes and the reported losses add up to all that it emitted")
    func comesLate() async throws {
        let scratch = try ScratchFolder()
        let lanes = try scratch.privateFolder("lanes")
        let elsewhere = ["env", "HOPSCOPE=\(lanes)", "XDG_RUNTIME_DIR=\(scratch.path)", "TMPDIR=\(scratch.path)", Hopscope.path]
        let demo = try await FinishedProcess.run(elsewhere + ["demo", "load", "--tasks", "120000", "--speed", "1000", "--no-ui"])
        #expect(demo.status == 0)
        let list = try await FinishedProcess.run(elsewhere + ["list"])
        let row = try #require(list.output.split(separator: "\n").last).split(separator: " ")
        let reported = try #require(row.count > 5 ? Int(row[5].filter { $0 != "," }) : nil, "\(list.output)")
        let report = try await FinishedProcess.run(elsewhere + ["report", String(row[0])])
        let line = try #require(report.output.split(separator: "\n").first).split(separator: " ")
        func count(before word: String) throws -> Int {
            let index = try #require(line.firstIndex { $0 == word }, "\(line)")
            return try #require(Int(line[index - 1].filter { $0 != "," }))
        }
        #expect(try count(before: "lost") > 0)
        #expect(try count(before: "events") + count(before: "lost") == reported)
        // The report shows the events that are left and says that some are lost.
        let screen = try await FinishedProcess.run(elsewhere + ["screen", String(row[0]), "--view", "tasks"])
        #expect(screen.output.contains(" lost"))
    }

    @Test("A replay opens at the recording's end, steps through it, and cannot be controlled")
    func replays() async throws {
        let folder = try await RecordedFolder()
        try await TerminalSession.run("replay", folder.recording, columns: 120) { terminal in
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("1")
            try await terminal.wait(for: "submitAllRecords")
            try await terminal.wait(for: "■ ended")
            try await terminal.press("[")
            try await terminal.wait(for: "paused at event")
            try await terminal.press("b")
            try await terminal.wait(for: "can only be looked at")
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
        let without = try await Hopscope.run("replay", folder.recording)
        #expect(without.status == 69)
        #expect(without.errors.contains("terminal") && without.errors.contains("hopscope report"))
    }

    @Test("A program opens its own inspector while its main continues, and prints a sentence where there is no terminal")
    func runsInAProgram() async throws {
        try await TerminalSession.run(program: Hopscope.example, columns: 100) { terminal in
            try await terminal.wait(for: "16 tasks")
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("1")
            // The jobs on main have run.
            let screen = try await terminal.wait(for: "the pages shown") { $0.text.contains("show 8") && $0.text.contains("1 fault ") }
            #expect(screen.text.contains("ExampleProgram"))
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0")
            #expect(end.modes == .restored)
        }
        let without = try await FinishedProcess.run([Hopscope.example])
        #expect(without.status == 0)
        #expect(without.output.contains("needs a terminal"))
    }

    @Test("A signal that closes a program's own inspector restores the terminal and ends the program")
    func endsBySignal() async throws {
        try await TerminalSession.run(program: Hopscope.example) { terminal in
            try await terminal.wait(for: "16 tasks")
            try await terminal.signal(SIGTERM)
            let end = try await terminal.ended()
            #expect(end.status == "143")
            #expect(end.modes == .restored)
        }
    }
}
