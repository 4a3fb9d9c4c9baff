import Foundation
import Testing
import TraceTestKit

/// `hopscope run` without the inspector: any program behaves as it does alone, and a sentence states the observations.
@Suite(.timeLimit(.minutes(3)))
struct RunTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var program: WatchedProgram
        var argument = ""
        var status: Int32
        /// The sentence on the error stream, after the program's path; nil if there is none.
        var sentence: String?
        /// The tasks in the report; nil where there is no report.
        var report: String?

        var testDescription: String { "\(program) \(argument)" }
    }

    static let cases = [
        Case(program: .swift, argument: "plain", status: 0, sentence: "has made no Swift tasks, so there is nothing to show."),
        Case(program: .swift, argument: "tasks", status: 7, report: "2 tasks"),
        Case(program: .swift, argument: "fault", status: 0, report: "`careless` failed with Unread, and the error was never read."),
        Case(program: .swift, argument: "crash", status: 132, sentence: "was ended by signal 4: Illegal instruction.", report: "1 task "),
        Case(program: .swift, argument: "kill", status: 137, sentence: "was ended by signal 9: Killed.", report: "1 task "),
        Case(program: .stripped, argument: "tasks", status: 7, report: "2 tasks"),
        Case(program: .script, argument: "tasks", status: 7, report: "2 tasks"),
        Case(
            program: .script, argument: "plain", status: 0,
            sentence: "has started no program in which Swift tasks were seen, so there is nothing to show."),
        Case(
            program: .withRuntime, argument: "tasks", status: 7,
            sentence: "has the Swift runtime in itself, where nothing can be preloaded; "
                + "give it the package's product HopscopeStaticProbe."),
        Case(
            program: .withEverything, argument: "tasks", status: 7,
            sentence: "loads no libraries, so the probe cannot be; give it the package's product HopscopeStaticProbe."),
        Case(
            program: .forks, status: 6,
            sentence:
                "is no Swift program, and no Swift tasks were seen in a program that it may have started, so there is nothing to show."),
        Case(
            program: .staticForks, status: 6, sentence: "is no Swift program, and loads no libraries, so there is nothing to show."),
        Case(
            program: .withoutInterpreter, status: 69,
            sentence:
                "could not be started: it is there, but the program that its first line names, or the loader that it asks for, is not."),
        Case(
            program: .withoutFirstLine, status: 69,
            sentence: "could not be started: it is no program for this machine, and has no '#!' line that names one."),
        Case(
            program: .broken, status: 69,
            sentence: "could not be started: it is no program for this machine, and has no '#!' line that names one."),
        Case(program: .notExecutable, status: 69, sentence: "could not be started: it may not be executed; 'chmod +x' allows that."),
    ]

    @Test("A program's output and status are its own, and the sentence about it is true", arguments: cases)
    func program(_ each: Case) async throws {
        _ = try WatchedProgram.swift.path()
        let path = try each.program.path()
        let command = [path] + (each.argument.isEmpty ? [] : [each.argument])
        let run = try await watched(["run", "--no-ui"], command)
        #expect(run.status == each.status, "\(run.errors)")
        var (output, errors) = ("", "")
        if each.status != 69 {
            let bare = try await FinishedProcess.run(Self.calm + command)
            #expect(bare.status == each.status)
            (output, errors) = (bare.output, bare.errors)
        }
        let said = each.sentence.map { "hopscope: '\(path)' \($0)\n" } ?? ""
        #expect(run.errors.withoutAddresses == (errors + said).withoutAddresses)
        #expect(run.output.hasPrefix(output))
        let report = run.output.dropFirst(output.count)
        #expect(each.report.map(report.contains) ?? report.isEmpty, "\(report)")
    }

    @Test(
        "A path without a program is refused", arguments: [("/nowhere/program", "there is no such program"), ("/", "it is a directory")])
    func nothing(path: String, reason: String) async throws {
        for command in [["run"], ["run", "--no-ui"], ["check"], ["report"]] {
            let run = try await watched(command, [path])
            #expect(run.status == 69)
            #expect(run.errors == "hopscope: '\(path)' could not be started: \(reason).\n")
        }
    }

    @Test
    func noProgramIsWrongUsage() async throws {
        #expect(try await Hopscope.run("run", "--no-ui").status == 64)
        #expect(try await Hopscope.run("check", "run.hop", "--", "true").status == 64)
    }

    @Test("A program has the same files, directory and environment as without the command, except for the probe's", .timeLimit(.minutes(1)))
    func surroundings() async throws {
        let script = """
            env | grep -v -e '^HOPSCOPE=' -e '^LD_PRELOAD=' -e '^_=' | sort; pwd; ls /proc/self/fd | wc -l; ulimit -a
            grep -e SigBlk -e SigIgn -e SigCgt /proc/self/status
            """
        // One shell starts both, so that both inherit the same files.
        let shell = "folder=$1; shift; sh -c \"$0\" >\"$folder/bare\"; \"$@\" sh -c \"$0\" >\"$folder/run\""
        let folder = try ScratchFolder()
        let run = try await FinishedProcess.run(["sh", "-c", shell, script, folder.path, Hopscope.path, "run", "--no-ui", "--"])
        #expect(run.status == 0)
        let bare = try #require(folder.text("bare"))
        #expect(bare.contains("SigIgn"))
        #expect(folder.text("run") == bare)
    }

    @Test("Every byte of input and output passes through", arguments: [["run", "--no-ui"], ["check"], ["report"]])
    func bytes(command: [String]) async throws {
        let folder = try ScratchFolder()
        let bytes = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        try bytes.write(to: URL(fileURLWithPath: folder.path("in")))
        let shell = "cat \"$0/in\" | \"$@\" >\"$0/out\""
        let run = try await FinishedProcess.run(["sh", "-c", shell, folder.path, Hopscope.path] + command + ["--", "cat"])
        #expect(run.status == (command[0] == "run" ? 0 : 69))
        #expect(FileManager.default.contents(atPath: folder.path("out")) == bytes)
    }

    @Test("In a terminal the program reads from and writes to that terminal")
    func terminal() async throws {
        let script = "test -t 0 && test -t 1 && test -t 2 && echo is one; read line; echo \"got $line\"; exit 5"
        try await TerminalSession.run("run", "--no-ui", "--", "sh", "-c", script) { terminal in
            try await terminal.wait(for: "is one")
            try await terminal.press("w", "o", "r", "d", "Enter")
            try await terminal.wait(for: "got word")
            let end = try await terminal.ended()
            #expect(end.status == "5")
            #expect(end.modes == .restored)
        }
    }

    @Test("A signal to the command reaches the program", arguments: ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"])
    func signals(signal: String) async throws {
        let folder = try ScratchFolder()
        let program = "trap 'echo got \(signal); exit 9' \(signal); echo ready; while :; do sleep 0.02; done"
        // A shell without job control makes its background processes ignore Ctrl-C.
        let shell = """
            set -m
            "$@" >"$0/said" & run=$!
            until grep -q ready "$0/said"; do :; done
            kill -\(signal) $run
            wait $run
            """
        let process = try await FinishedProcess.run(
            ["bash", "-c", shell, folder.path, Hopscope.path, "run", "--no-ui", "--", "sh", "-c", program])
        #expect(process.status == 9, "\(process.errors)")
        #expect(folder.text("said")?.contains("got \(signal)") == true)
    }

    @Test("A stopped program stops the command, and both continue together")
    func stops() async throws {
        let folder = try ScratchFolder()
        let program = "echo $$ >\"$0/pid.new\"; mv \"$0/pid.new\" \"$0/pid\"; trap 'exit 3' TERM; while :; do sleep 0.02; done"
        let shell = """
            state() { read -r _ _ now _ <"/proc/$1/stat"; [ "$now" = T ]; }
            "$@" & run=$!
            until [ -e "$0/pid" ]; do :; done
            kill -TSTP $run
            until state $run && state $(cat "$0/pid"); do :; done
            kill -CONT $run
            while state $run || state $(cat "$0/pid"); do :; done
            kill -TERM $run
            wait $run
            """
        let process = try await FinishedProcess.run(
            ["sh", "-c", shell, folder.path, Hopscope.path, "run", "--no-ui", "--", "sh", "-c", program, folder.path])
        #expect(process.status == 3, "\(process.errors)")
    }

    @Test("A Swift program's report has its tasks by name and executor")
    func reports() async throws {
        let run = try await watched(["run", "--no-ui"], [Hopscope.path, "demo", "recipes-reentrancy", "--no-ui", "--speed", "8"])
        #expect(run.status == 0)
        let report = run.output.split(separator: "\n").drop { !$0.hasPrefix("hopscope ") }.joined(separator: "\n")
        #expect(report.contains("CarelessCache"))
        #expect(report.contains("global"))
    }

    @Test("A Swift program's recording has its tasks")
    func records() async throws {
        let folder = try ScratchFolder()
        let file = folder.path("run.hop")
        let run = try await watched(["run", "--no-ui", "--record", file], [try WatchedProgram.swift.path(), "tasks"])
        #expect(run.status == 7)
        let report = try PrintedReport(of: try await Hopscope.run("report", file, "--format", "json"))
        #expect(report.tasks(named: "answer").map(\.state) == ["succeeded"])
    }

    /// A crash leaves no file behind and is reported at once.
    private static let calm = ["env", "SWIFT_BACKTRACE=enable=no"]

    private func watched(_ command: [String], _ program: [String]) async throws -> FinishedProcess {
        try await FinishedProcess.run(Self.calm + [Hopscope.path] + command + ["--"] + program)
    }
}

extension String {
    /// The output without the parts that differ from run to run.
    fileprivate var withoutAddresses: String {
        replacing(/0x[0-9a-f]+/, with: "0x…")
    }
}
