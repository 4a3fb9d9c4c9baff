import Foundation
import Testing
import TraceTestKit

/// `hopscope flight`, `HOPSCOPE=flight` and `hopscope record --last`, on programs of their own.
@Suite(.timeLimit(.minutes(3)))
struct FlightTests {
    private let scratch: ScratchFolder
    private let lanes: String
    private let flights: String

    init() throws {
        scratch = try ScratchFolder()
        lanes = try scratch.privateFolder("lanes")
        flights = try scratch.privateFolder("flights")
    }

    /// Runs a shell script. In it, `$0` is hopscope, and `has TRIGGER` says whether a recording of that trigger is complete.
    private func run(_ script: String, publishing hopscope: String? = nil) async throws -> FinishedProcess {
        let functions = """
            has() { for file in "$HOPSCOPE_FLIGHT_DIR"/*-"$1".hop; do [ -e "$file" ] && "$hop" report "$file" >/dev/null 2>&1 && return 0; done; return 1; }
            hop=$0
            """
        return try await FinishedProcess.run([
            "env", "HOPSCOPE=\(hopscope ?? lanes)", "XDG_RUNTIME_DIR=\(lanes)", "HOPSCOPE_FLIGHT_DIR=\(flights)", "sh", "-c",
            "\(functions)\n\(script)", Hopscope.path,
        ])
    }

    /// The paths of the recordings of that trigger.
    private func recordings(_ trigger: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: flights).filter { $0.hasSuffix("-\(trigger).hop") }.map { "\(flights)/\($0)" }
    }

    private func report(_ path: String) async throws -> PrintedReport {
        try PrintedReport(of: try await Hopscope.run("report", path, "--format", "json"))
    }

    @Test("A process that is killed leaves a recording of its crash, and one that exits leaves none")
    func crash() async throws {
        let process = try await run(
            """
            "$hop" flight --on none 2>"\(scratch.path("log"))" & flight=$!
            until grep -q 'It keeps' "\(scratch.path("log"))"; do :; done
            "$hop" demo kinesis-success --no-ui --speed 10 >/dev/null 2>&1 || exit 1
            "$hop" demo load --tasks 4000000 --no-ui >/dev/null 2>&1 & program=$!
            until "$hop" report $program 2>/dev/null | grep -q succeeded; do :; done
            kill -KILL $program
            until has crash; do :; done
            kill -INT $flight; wait $flight; status=$?
            cat "\(scratch.path("log"))"; exit $status
            """)
        #expect(process.status == 0, "\(process.errors)")
        #expect(process.output.contains("ended without exit"), "\(process.output)")
        let found = try recordings("crash")
        try #require(found.count == 1)
        #expect(found[0].contains("/load-"))
        #expect(try await report(found[0]).tasks.isEmpty == false)
    }

    @Test("SIGUSR1 makes the watching process write what every process did")
    func signal() async throws {
        let process = try await run(
            """
            "$hop" demo load --tasks 4000000 --no-ui >/dev/null 2>&1 & program=$!
            until [ -e "$HOPSCOPE/$program"-*.hoplanes ]; do :; done
            "$hop" flight --on none --per-hour 1 2>"\(scratch.path("log"))" & flight=$!
            until grep -q 'It keeps' "\(scratch.path("log"))"; do :; done
            kill -USR1 $flight
            until has signal; do :; done
            kill -INT $flight; wait $flight; status=$?
            kill -KILL $program; exit $status
            """)
        #expect(process.status == 0, "\(process.errors)")
        #expect(try recordings("signal").isEmpty == false)
    }

    @Test("SIGUSR1 with no process to record is answered")
    func nothingToRecord() async throws {
        let process = try await run(
            """
            "$hop" flight 2>"\(scratch.path("log"))" & flight=$!
            until grep -q 'It keeps' "\(scratch.path("log"))"; do :; done
            kill -USR1 $flight
            until grep -q 'SIGUSR1 asked' "\(scratch.path("log"))"; do kill -0 $flight || exit 1; done
            kill -INT $flight; wait $flight; status=$?
            cat "\(scratch.path("log"))"; exit $status
            """)
        #expect(process.status == 0, "\(process.errors)")
        #expect(process.output.contains("SIGUSR1 asked for a recording. No process publishes, so there is nothing to write."))
    }

    @Test("HOPSCOPE=flight gives a program that imports Hopscope a recorder of its own")
    func environment() async throws {
        let process = try await run(
            """
            "$hop" demo main-stall --no-ui >/dev/null 2>&1 & program=$!
            until has main-stall; do kill -0 $program 2>/dev/null || break; done
            wait $program
            """, publishing: "flight")
        #expect(process.status == 0, "\(process.errors)")
        let found = try recordings("main-stall")
        try #require(found.count == 1)
        #expect(try await Hopscope.run("check", found[0], "--fail-on", "main-stall").status == 1)
    }

    @Test("The watching process writes an unread error of a program that has only the probe")
    func probe() async throws {
        let program = try WatchedProgram.invisibleError.path()
        let process = try await run(
            """
            mkfifo "\(scratch.path("input"))"
            LD_PRELOAD="${hop%/*}/libhopscope-probe.so" "\(program)" <>"\(scratch.path("input"))" >/dev/null & program=$!
            "$hop" flight 2>"\(scratch.path("log"))" & flight=$!
            until has unobserved-fault; do :; done
            kill -INT $flight; wait $flight; status=$?
            kill -KILL $program; cat "\(scratch.path("log"))"; exit $status
            """, publishing: "flight")
        #expect(process.status == 0, "\(process.errors)")
        #expect(process.output.contains("saveDraft"), "\(process.output)")
        let found = try recordings("unobserved-fault")
        try #require(found.count == 1)
        #expect(try await report(found[0]).faults.map(\.verdict) == ["unobserved"])
    }

    @Test("What a running process did in the last minute can be written from outside")
    func lastSeconds() async throws {
        let process = try await run(
            """
            "$hop" demo load --tasks 4000000 --no-ui >/dev/null 2>&1 & program=$!
            until [ -e "$HOPSCOPE/$program"-*.hoplanes ]; do :; done
            "$hop" record --last 60s -o "\(scratch.path("last.hop"))" $program || exit 1
            kill -0 $program || exit 2
            kill -KILL $program
            "$hop" report "\(scratch.path("last.hop"))" >/dev/null
            """)
        #expect(process.status == 0, "\(process.errors)")
    }

    @Test(
        "Wrong options are refused",
        arguments: [
            ["flight", "--last", "soon"], ["flight", "--on", "no-such-rule"], ["flight", "--query", "state:nonsense"],
            ["flight", "--per-hour", "0"], ["record", "-o", "a.hop", "--last", "soon"],
            ["record", "-o", "a.hop", "--last", "1s", "--", "true"],
        ])
    func refusals(_ arguments: [String]) async throws {
        let process = try await FinishedProcess.run([Hopscope.path] + arguments)
        #expect(process.status == 64)
        #expect(process.errors.contains("--"))
    }
}
