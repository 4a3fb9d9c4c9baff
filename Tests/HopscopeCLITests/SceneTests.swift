import Foundation
import Testing
import TraceTestKit

/// The demos in plain `async`/`await`, as programs of their own under the probe.
@Suite(.timeLimit(.minutes(2)))
struct SceneTests {
    static let scenes: [(name: String, options: [String], sentences: [String])] = [
        ("lost-error", [], ["unobserved-fault", "LostError.swift", "PaymentDeclined"]),
        ("blocked-main", ["--set", "main-stall=20ms"], ["main-stall", "`photo 0` kept main busy"]),
        ("await-ring", [], ["wait-cycle", "`cart`", "`prices`"]),
        ("hot-actor", [], ["actor-contention", "Inventory"]),
        ("hung-test", [], ["`test emptyUpload()` at HungTest.swift", "awaits a continuation that nothing has resumed", "HungTest.swift"]),
    ]

    @Test("The tour plays all five, then the guides, in one program, and ends")
    func tour() async throws {
        let folder = try ScratchFolder()
        let run = try await FinishedProcess.run([Hopscope.path, "demo", "tour", "--no-ui", "--speed", "30", "--path", folder.path])
        #expect(run.status == 0)
        let scenes = (1...16).map { "Scene \($0) of 16, " }
        for scene in scenes { #expect(run.output.contains(scene), "\(run.output)") }
        for sentence in ["wait-cycle", "PaymentDeclined", "saveRecord"] { #expect(run.output.contains(sentence), "\(run.output)") }
    }

    @Test("A scene's report names its problem", arguments: scenes)
    func report(name: String, options: [String], sentences: [String]) async throws {
        let run = try await FinishedProcess.run([Hopscope.path, "demo", name, "--no-ui", "--speed", "8"] + options)
        #expect(run.status == 0)
        for sentence in sentences { #expect(run.output.contains(sentence), "\(run.output)") }
    }

    @Test("A demo that does not start leaves nothing in the folder for temporary files")
    func leavesNothing() async throws {
        let folder = try ScratchFolder()
        let run = try await FinishedProcess.run(
            ["env", "TMPDIR=\(folder.path)", Hopscope.path, "demo", "lost-error", "--no-ui", "--record", "/nowhere/x.hop"])
        #expect(run.status == 66, "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("hopscope-scene-") } == [])
    }

    @Test(
        "A scene takes no option that only a scenario in this process can have",
        arguments: [["--hold"], ["--report", "json"]])
    func refused(options: [String]) async throws {
        let run = try await FinishedProcess.run([Hopscope.path, "demo", "lost-error"] + options)
        #expect(run.status == 64)
        #expect(run.errors.contains("is a program under the probe"))
    }
}
