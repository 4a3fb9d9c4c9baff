import Foundation
import Testing
import TraceTestKit

/// `hopscope record`: its recordings, and how it passes on the program that it starts.
@Suite(.timeLimit(.minutes(3)))
struct RecordTests {
    private let scratch: ScratchFolder
    private let lanes: String

    init() throws {
        scratch = try ScratchFolder()
        lanes = try scratch.privateFolder("lanes")
    }

    private func record(_ program: [String], shell: String = "exec \"$@\"") async throws -> FinishedProcess {
        try await FinishedProcess.run(
            [
                "env", "HOPSCOPE=\(lanes)", "sh", "-c", shell, "sh", Hopscope.path, "record", "-o", scratch.path("run.hop"),
                "--",
            ]
                + program)
    }

    private let played = [Hopscope.path, "demo", "kinesis-submit-fails", "--speed", "10", "--no-ui"]

    @Test("A program's output and status are its own, and its recording is complete", arguments: [true, false])
    func recordsAProgram(isBehindAShell: Bool) async throws {
        let program = isBehindAShell ? ["sh", "-c", "\"$@\"; exit 5", "sh"] + played : played
        let process = try await record(program)
        #expect(process.status == (isBehindAShell ? 5 : 0), "\(process.errors)")
        #expect(process.output.contains("submitAllRecords"))
        let report = try PrintedReport(of: try await Hopscope.run("report", scratch.path("run.hop"), "--format", "json"))
        #expect(report.lost == 0)
        #expect(report.faults.map(\.verdict) == ["recovered"])
        #expect(report.tasks(named: "report").map(\.state) == ["succeeded"])
    }

    @Test("A recording of an unmodified program keeps the functions and lines, although the program is gone")
    func withoutTheProgram() async throws {
        let program = scratch.path("program")
        try FileManager.default.copyItem(atPath: WatchedProgram.invisibleError.path(), toPath: program)
        let recorded = try await record([program], shell: "exec \"$@\" </dev/null")
        #expect(recorded.status == 0, "\(recorded.errors)")
        try FileManager.default.removeItem(atPath: program)
        let report = try await Hopscope.run("report", scratch.path("run.hop"))
        let line = try WatchedProgram.line(of: "throw DraftError.diskFull", in: "InvisibleError.swift")
        #expect(report.output.contains("InvisibleError.swift:\(line)"), "\(report.output)")
    }

    @Test("Of a program with several processes, the busiest outside of the toolchain is recorded")
    func recordsTheBusiest() async throws {
        // As 'swift test': a process of the toolchain, a run that does little, and the tests. A program in the directory of a compiler
        // belongs to the toolchain.
        let (folder, program) = (scratch.path("programs"), try WatchedProgram.swift.path())
        let script = """
            mkdir -p "$0/bin"; cp "$1" "$0/bin/swift-build"; cp "$1" "$0/mine"; cp /bin/true "$0/bin/swift-frontend"
            "$0/bin/swift-build" fault; "$0/mine" tasks; "$0/mine" fault; exit 0
            """
        let process = try await record(["sh", "-c", script, folder, program])
        let report = try JSONObject(try await Hopscope.run("report", scratch.path("run.hop"), "--format", "json").output)
        #expect(process.status == 0 && report.text("program") == "mine", "\(process.errors)")
        #expect(
            process.errors.contains("Only the busiest process is recorded, ") && process.errors.contains("(swift-build, "),
            "\(process.errors)")
        #expect(report.list("faults").count == 1, "\(process.errors)")
    }

    @Test("Exit statuses and deadly signals are passed on", arguments: [("exit 7", 7), ("kill -KILL $$", 137), ("kill -SEGV $$", 139)])
    func passesStatusesOn(script: String, status: Int32) async throws {
        let process = try await record(["sh", "-c", script])
        #expect(process.status == status)
        #expect(process.errors.contains("Nothing was recorded"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path("run.hop")))
    }

    @Test("Of three commands that record to one file one records, and the others say that the file is taken")
    func oneFile() async throws {
        let process = try await FinishedProcess.run(
            [
                "env", "HOPSCOPE=\(lanes)", "sh", "-c",
                """
                "$0" demo load --tasks 4000000 --no-ui >/dev/null 2>&1 & program=$!
                until [ -e "$HOPSCOPE/$program"-*.hoplanes ]; do :; done
                "$0" record -o "$1" $program & first=$!
                until [ -s "$1" ]; do :; done
                "$0" record -o "$1" $program; echo second $?
                "$0" record -o "$1" -- touch "$1.touched"; echo third $?
                kill -INT $first; wait $first; echo first $?
                kill -KILL $program
                """, Hopscope.path, scratch.path("one.hop"),
            ])
        #expect(process.output == "second 69\nthird 69\nfirst 0\n", "\(process.errors)")
        #expect(process.errors.components(separatedBy: "is being written by another recording").count == 3, "\(process.errors)")
        // The refused command has not started its program.
        #expect(!FileManager.default.fileExists(atPath: scratch.path("one.hop.touched")))
        #expect(try await Hopscope.run("report", scratch.path("one.hop")).status == 0)
    }

    @Test("Recording a program that publishes nothing is an error, even if the program succeeds")
    func saysThatNothingWasRecorded() async throws {
        let process = try await record(["true"])
        #expect(process.status == 69)
        let none = try await record(["no-such-program"])
        #expect(none.status == 69)
        #expect(none.errors.contains("no such program"))
    }

    @Test("A signal to the command reaches the program", arguments: ["TERM", "HUP", "USR1"])
    func forwardsSignals(signal: String) async throws {
        // The program prints which signal it received, after it has printed that it listens.
        let program = "trap 'echo got \(signal); exit 9' \(signal); echo ready; while :; do sleep 0.02; done"
        let shell = """
            "$@" >"\(scratch.path("said"))" & recorder=$!
            until grep -q ready "\(scratch.path("said"))"; do :; done
            kill -\(signal) $recorder
            wait $recorder
            """
        let process = try await record(["sh", "-c", program], shell: shell)
        #expect(process.status == 9, "\(process.errors)")
        #expect(scratch.text("said")?.contains("got \(signal)") == true)
    }

    @Test("A process that is recorded from outside continues after the recording has ended")
    func endsARecording() async throws {
        let shell = """
            "$1" demo load --tasks 40000 --no-ui >/dev/null & program=$!
            until [ -e "$HOPSCOPE"/*.hoplanes ]; do :; done
            "$@" $program & recorder=$!
            until [ -s "\(scratch.path("run.hop"))" ]; do :; done
            kill -TERM $recorder
            wait $recorder || exit 1
            kill -0 $program || exit 2
            kill -KILL $program
            """
        let process = try await FinishedProcess.run(
            [
                "env", "HOPSCOPE=\(lanes)", "sh", "-c", shell, "sh", Hopscope.path, "record", "-o", scratch.path("run.hop"),
            ])
        #expect(process.status == 0, "\(process.errors)")
        let report = try await Hopscope.run("report", scratch.path("run.hop"))
        #expect(report.status == 0)
        #expect(!report.errors.contains("not ended"), "\(report.errors)")
    }
}
