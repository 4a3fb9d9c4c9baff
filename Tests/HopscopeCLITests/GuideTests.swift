import Foundation
import Testing
import TraceTestKit

/// The guides' commands run as printed and answer as printed, on the programs of `Examples/Guides`.
@Suite(.timeLimit(.minutes(5)))
struct GuideTests {
    private static let programs = BuildFolder("HopscopeCLITests/guides")

    @Test("Each command of a guide prints what the guide says", arguments: try Guide.all())
    func answers(guide: Guide) async throws {
        #expect(!guide.steps.isEmpty, "\(guide) has no commands.")
        let folder = try ScratchFolder()
        for name in try Self.names() where guide.steps.contains(where: { $0.commands.contains("./\(name)") }) {
            let program = try Self.program(name)
            try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: program)
        }
        let tools = (Hopscope.path as NSString).deletingLastPathComponent
        for step in guide.steps {
            let shell = "cd \"$1\"; PATH=\"$2:$PATH\"; exec 2>&1\n" + step.commands
            let process = try await FinishedProcess.run(["bash", "-c", shell, "guide", folder.path, tools])
            let missing = Guide.missing(step.answers, in: process.output)
            #expect(missing == nil, "\(guide): \(step.commands) printed:\n\(process.output)")
        }
    }

    @Test(
        "A line of a guide that is not printed is found", arguments: [("a … c", true), ("b", true), ("a b c\nb", false), ("c … a", false)])
    func missingLine(answers: String, isThere: Bool) {
        let missing = Guide.missing(answers.split(separator: "\n").map(String.init), in: "x\n a  b   c\ny")
        #expect((missing == nil) == isThere)
    }

    private static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Guide.top.appendingPathComponent("Examples/Guides/Sources").path)
    }

    private static func program(_ name: String) throws -> String {
        let folder = Guide.top.appendingPathComponent("Examples/Guides/Sources/\(name)").path
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }
        return try programs.program(name) { path in
            ["swiftc", "-swift-version", "6", "-parse-as-library", "-g"] + sources + ["-o", path]
        }
    }
}
