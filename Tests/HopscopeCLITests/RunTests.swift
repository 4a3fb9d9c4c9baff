import Foundation
import InspectorTestKit
import Testing

/// `hopscope run` on what is no Swift program, or none that can be watched: the truth, and the program's own exit status.
@Suite
struct RunTests {
    @Test
    func aProgramThatIsNotSwiftIsSaidToBeNone() async throws {
        let run = try await Hopscope.run("run", "--no-ui", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
        #expect(run.status == 3)
        #expect(run.output == "out\n")
        #expect(
            run.errors == "err\nhopscope: 'sh' is no Swift program, and has started none that made tasks, so there is nothing to show.\n")
    }

    @Test
    func aMissingProgramIsMissing() async throws {
        let run = try await Hopscope.run("run", "--no-ui", "--", "/nowhere/program")
        #expect(run.status == 69)
        #expect(run.errors == "hopscope: '/nowhere/program' could not be started: there is no such program.\n")
    }

    @Test
    func noProgramIsWrongUsage() async throws {
        #expect(try await Hopscope.run("run", "--no-ui").status == 64)
    }

    @Test
    func aKilledProgramsEndIsPassedOn() async throws {
        let run = try await Hopscope.run("run", "--no-ui", "--", "sh", "-c", "kill -TERM $$")
        #expect(run.status == 128 + 15)
    }

    @Test
    func itsInputIsItsOwn() async throws {
        let run = try await Hopscope.run("run", "--no-ui", "--", "cat")
        #expect(run.status == 0)
        #expect(run.output.isEmpty)
    }

    @Test
    func aSwiftProgramIsReportedWithItsTasks() async throws {
        let run = try await Hopscope.run("run", "--no-ui", "--", Hopscope.path, "demo", "recipes-reentrancy", "--no-ui", "--speed", "8")
        #expect(run.status == 0)
        let report = run.output.split(separator: "\n").drop { !$0.hasPrefix("hopscope ") }.joined(separator: "\n")
        #expect(report.contains("CarelessCache"))
        #expect(report.contains("global"))
    }

    @Test
    func aRecordingOfItHasItsTasks() async throws {
        let folder = try ScratchFolder()
        let file = folder.path("run.hop")
        let run = try await Hopscope.run(
            "run", "--no-ui", "--record", file, "--", Hopscope.path, "demo", "recipes-stream", "--no-ui", "--speed", "8")
        #expect(run.status == 0)
        let report = try await Hopscope.run("report", file, "--format", "json")
        #expect(report.status == 0)
        #expect(report.output.contains("\"kind\":\"unstructured\"") || report.output.contains("\"kind\" : \"unstructured\""))
    }
}
