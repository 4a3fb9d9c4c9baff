import Foundation
import Testing
import TraceTestKit

/// `hopscope attach PID --inject`, on a process that was started without the probe.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct InjectTests {
    @Test("It asks, loads nothing for a no, and for a yes shows the inspector, live; the process goes on when the inspector is left")
    func asks() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(
            """
            "$2" >"$4" & echo $! >"$3"
            until [ -s "$4" ]; do :; done
            "$1" attach $! --inject
            refusals=0
            until "$1" attach $! --inject; do
                refusals=$((refusals + 1))
                printf '\\033[2J\\033[HRefused %d times.\\n' $refusals
            done
            """, to: "attach.sh")
        let program = try WatchedProgram.sleeping.path()
        try await TerminalSession.run(
            scratch.path("attach.sh"), Hopscope.path, program, scratch.path("program"), scratch.path("output"), program: "sh",
            columns: 120
        ) { terminal in
            try await terminal.wait(for: "Load it? [y/N]")
            try await terminal.press("n", "Enter")
            try await terminal.wait(for: "Nothing was loaded.")
            try await terminal.wait(for: "a second question") { $0.text.components(separatedBy: "Load it? [y/N]").count > 2 }
            // A machine that is too busy to stop a thread in time is a reason to refuse, and to try again.
            var refusals = 0
            func isRefused(_ screen: TerminalScreen) -> Bool { screen.text.contains("Refused \(refusals + 1) times.") }
            while true {
                try await terminal.press("y", "Enter")
                let screen = try await terminal.wait(for: "the inspector") { $0.text.contains("1 Tasks") || isRefused($0) }
                guard isRefused(screen) else { break }
                refusals += 1
                try await terminal.wait(for: "Load it? [y/N]")
            }
            let screen = try await terminal.wait(for: "1 Tasks", "was there before the probe was loaded")
            #expect(screen.rows[0].contains("Sleeping") || screen.rows[0].contains("sleeping"))
            #expect(!screen.rows[0].contains("snapshots"))
            let pid = try #require(pid_t(scratch.text("program")?.dropLast() ?? ""))
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
            #expect(kill(pid, SIGKILL) == 0)
        }
    }

    @Test("Without a terminal it needs --yes, and refuses a process that cannot load the probe with a sentence")
    func refuses() async throws {
        let unasked = try await Hopscope.run("attach", "1", "--inject")
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"))
        let alone = try await Hopscope.run("attach", "1", "--yes")
        #expect(alone.status == 64 && alone.errors.contains("--inject"))
        let none = try await Hopscope.run("attach", "--inject", "--yes")
        #expect(none.status == 64 && none.errors.contains("needs a process"))
        let scratch = try ScratchFolder()
        try scratch.write(
            """
            "$2" >"$3" & until [ -s "$3" ]; do :; done
            "$1" attach $! --inject --yes; status=$?
            kill $! && exit $status
            """, to: "attach.sh")
        let refused = try await FinishedProcess.run([
            "sh", scratch.path("attach.sh"), Hopscope.path, try WatchedProgram.sleepingStatic.path(), scratch.path("output"),
        ])
        #expect(refused.status == 69 && refused.errors.contains("is linked statically"), "\(refused.errors)")
    }
}
