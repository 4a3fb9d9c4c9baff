import Foundation
import Testing
import TraceTestKit

/// The packages of `Examples` build, and the commands of their READMEs answer as printed. They take minutes: `make examples` runs them, on
/// copies in `.build-examples`, as a user would who has copied them.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["HOPSCOPE_EXAMPLES"] == "1"))
struct ExampleTests {
    @Test("Each command of an example prints what its README says", arguments: ["HangingTests", "Server", "Client", "Moving"])
    func answers(example: String) async throws {
        let guide = try Guide(example: example)
        #expect(!guide.steps.isEmpty)
        for step in guide.steps {
            let output = try await Self.run(step.commands, in: example)
            let missing = Guide.missing(step.answers, in: output)
            #expect(missing == nil, "\(example): “\(missing ?? "")” is not there: \(step.commands) printed:\n\(output)")
        }
    }

    @Test("The examples without commands of their own build", arguments: ["Guides", "Fleet/Server"])
    func builds(example: String) async throws {
        let output = try await Self.run("swift build && echo built", in: example)
        #expect(Guide.missing(["built"], in: output) == nil, "\(output)")
    }

    @Test("The recordings of Assets/traces are made again, each with its remarks at their places")
    func recordings() async throws {
        let folder = try ScratchFolder()
        let remarks = try FileManager.default.contentsOfDirectory(atPath: Guide.path("Assets/traces")).filter { $0.hasSuffix(".remarks") }
        for name in remarks {
            try FileManager.default.copyItem(atPath: Guide.path("Assets/traces/\(name)"), toPath: folder.path(name))
        }
        let process = try await FinishedProcess.run([Guide.path("Scripts/traces"), Hopscope.path, folder.path], within: 1200)
        #expect(process.status == 0, "\(process.output)\(process.errors)")
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".hop") }
        #expect(made.count == remarks.count && !made.isEmpty)
    }

    private static func run(_ commands: String, in example: String) async throws -> String {
        let tools = (Hopscope.path as NSString).deletingLastPathComponent
        let place = "copies=\"$1/.build-examples\"; mkdir -p \"$copies\"; cp -rp \"$1/Examples/.\" \"$copies\"; cd \"$copies/$2\"\n"
        let shell = place + "PATH=\"$3:$PATH\"; exec 2>&1\n" + commands
        return try await FinishedProcess.run(["bash", "-c", shell, "example", Guide.top.path, example, tools], within: 1200).output
    }
}
