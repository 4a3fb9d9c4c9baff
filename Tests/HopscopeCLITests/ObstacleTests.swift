import Testing
import TraceTestKit

/// Obstacles to a program's trace. With each of them, the program's result is the same as without Hopscope, the recorded events can be
/// read, and the sentence names the true cause.
@Suite(.timeLimit(.minutes(3)))
struct ObstacleTests {
    private func shell(_ script: String, _ arguments: String...) async throws -> FinishedProcess {
        try await FinishedProcess.run(["bash", "-c", script, Hopscope.path] + arguments)
    }

    @Test("A reader that is stopped costs the program nothing, and keeps what it had")
    func stoppedReader() async throws {
        let folder = try ScratchFolder()
        let script = """
            export HOPSCOPE="$1/lanes"
            "$0" demo load --tasks 4000 --no-ui --speed 5 >"$1/out" 2>&1 & load=$!
            until ls "$1"/lanes/*.hoplanes >/dev/null 2>&1; do :; done
            "$0" record -o "$1/run.hop" $load >/dev/null 2>&1 & reader=$!
            until [ -s "$1/run.hop" ]; do :; done
            kill -STOP $reader
            wait $load; echo "load $?"
            kill -CONT $reader
            wait $reader; echo "record $?"
            "$0" report "$1/run.hop" >/dev/null; echo "report $?"
            grep -c '^load made 4000 tasks' "$1/out"
            """
        let process = try await shell(script, folder.path)
        #expect(process.output == "load 0\nrecord 0\nreport 0\n1\n", "\(process.output) \(process.errors)")
    }

    @Test("A region that is truncated while the program runs costs the program nothing, and readers end with a sentence or a report")
    func truncatedRegion() async throws {
        let folder = try ScratchFolder()
        let script = """
            export HOPSCOPE="$1/lanes"
            "$0" demo load --tasks 4000 --no-ui --speed 5 >"$1/out" 2>&1 & load=$!
            until ls "$1"/lanes/*.hoplanes >/dev/null 2>&1; do :; done
            "$0" record -o "$1/run.hop" $load >/dev/null 2>&1 & reader=$!
            until [ -s "$1/run.hop" ]; do :; done
            for region in "$1"/lanes/*.hoplanes; do : >"$region"; done
            wait $load; echo "load $?"
            wait $reader
            "$0" report "$1/run.hop" >/dev/null; echo "report $?"
            grep -c '^load made 4000 tasks' "$1/out"
            """
        let process = try await shell(script, folder.path)
        #expect(process.output == "load 0\nreport 0\n1\n", "\(process.output) \(process.errors)")
    }
}
