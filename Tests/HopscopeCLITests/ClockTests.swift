import Foundation
import Testing
import TraceTestKit

/// A clock that is set back while a program starts changes neither its result nor what is recorded, and a file system that takes no files
/// costs the recording alone.
@Suite(.timeLimit(.minutes(3)))
struct ClockTests {
    private func shell(_ script: String, _ arguments: String...) async throws -> FinishedProcess {
        try await FinishedProcess.run(["bash", "-c", script, Hopscope.path] + arguments)
    }

    @Test(
        "A program whose clock was set back is recorded, with its own status",
        arguments: ["record -o \"$1/run.hop\"", "run --no-ui --record \"$1/run.hop\""])
    func setBack(command: String) async throws {
        let folder = try ScratchFolder()
        let script = """
            export LD_PRELOAD="$2"
            "$0" \(command) -- "$3" tasks; status=$?
            unset LD_PRELOAD
            "$0" report "$1/run.hop" --format json >"$1/report.json" && exit $status
            """
        let clock = try WatchedProgram.steppedClock.path()
        let process = try await shell(script, folder.path, clock, try WatchedProgram.swift.path())
        #expect(process.status == 7, "\(process.errors)")
        #expect(process.output.hasPrefix("did tasks\n"))
        #expect(folder.text("report.json")?.contains("\"answer\"") == true)
    }

    @Test(
        "A clock that is set forward and back during a run changes neither the result nor the times of the trace",
        arguments: ["record -o \"$1/run.hop\"", "run --no-ui --record \"$1/run.hop\""])
    func restless(command: String) async throws {
        let folder = try ScratchFolder()
        let script = """
            export LD_PRELOAD="$2"
            "$0" \(command) -- "$3" tasks; status=$?
            unset LD_PRELOAD
            "$0" report "$1/run.hop" --format json >"$1/report.json" || exit 1
            "$0" export "$1/run.hop" --to otlp -o "$1/spans.json" >&2 && exit $status
            """
        let clock = try WatchedProgram.restlessClock.path()
        let process = try await shell(script, folder.path, clock, try WatchedProgram.swift.path())
        #expect(process.status == 7, "\(process.errors)")
        #expect(process.output.hasPrefix("did tasks\n"))
        #expect(folder.text("report.json")?.contains("\"answer\"") == true)
        // The program reads the clock of the day once, and counts all times from there by a clock that cannot be set.
        let spans = try #require(folder.text("spans.json"))
        let times = spans.matches(of: /"(?:start|end)TimeUnixNano": ?"(\d+)"/).compactMap { Double($0.1) }
        #expect(times.count >= 4)
        let (first, last) = (times.min() ?? 0, times.max() ?? 0)
        #expect(last - first < 3600e9, "\(first) to \(last)")
        #expect(abs(first / 1e9 - Date().timeIntervalSince1970) < 3 * 86_400)
    }

    @Test("The test's restless clock jumps by days")
    func jumps() async throws {
        let script = "for _ in 1 2; do LD_PRELOAD=\"$1\" python3 -c 'import time; print(int(time.time())); print(int(time.time()))'; done"
        let process = try await shell(script, try WatchedProgram.restlessClock.path())
        let times = process.output.split(separator: "\n").compactMap { Int($0) }
        #expect(times.count == 4 && abs(times[0] - times[1]) > 80_000, "\(process.output)")
    }

    @Test("The clock of the test's library is a day behind")
    func isBehind() async throws {
        let process = try await shell("date +%s; LD_PRELOAD=\"$1\" date +%s", try WatchedProgram.steppedClock.path())
        let times = process.output.split(separator: "\n").compactMap { Int($0) }
        #expect(times.count == 2 && times[0] - times[1] > 80_000, "\(process.output)")
    }

    /// Runs a command with a read-only file system at `$1/sealed`. Nil if this user may not mount one.
    private func sealed(_ command: String, in folder: ScratchFolder) async throws -> FinishedProcess? {
        try FileManager.default.createDirectory(atPath: folder.path("sealed"), withIntermediateDirectories: false)
        let script = """
            unshare -m true 2>/dev/null || exit 77
            exec unshare -m bash -c 'mount -t tmpfs -o ro,mode=700 none "$1/sealed" || exit 77
                export TMPDIR="$1/sealed" XDG_RUNTIME_DIR= HOPSCOPE=
                \(command)' "$0" "$@"
            """
        let process = try await shell(script, folder.path, try WatchedProgram.swift.path())
        return process.status == 77 ? nil : process
    }

    @Test("On a read-only file system, a publishing program ends as it does without Hopscope, and says why nothing is recorded")
    func readOnlyProgram() async throws {
        let command = "HOPSCOPE=1 LD_PRELOAD=\"\(Hopscope.probe)\" exec \"$2\" tasks"
        guard let process = try await sealed(command, in: try ScratchFolder()) else { return }
        #expect(process.status == 7, "\(process.errors)")
        #expect(process.output == "did tasks\n")
        #expect(process.errors.contains("could not be made: Read-only file system.\n"), "\(process.errors)")
    }

    @Test("A command that can make no folder for its programs says so before it starts them", arguments: ["run --no-ui", "check"])
    func readOnlyCommand(command: String) async throws {
        guard let process = try await sealed("exec \"$0\" \(command) -- \"$2\" tasks", in: try ScratchFolder()) else { return }
        #expect(process.status == 69)
        #expect(process.output.isEmpty)
        #expect(process.errors.hasSuffix("could not be made: Read-only file system.\n"), "\(process.errors)")
    }
}
