import Foundation
import Testing

/// A document that prints a command has a command that works.
@Suite(.timeLimit(.minutes(5)))
struct PrintedCommandTests {
    @Test("Every command that README and Docs print runs as printed, and every command that they mention exists")
    func run() async throws {
        let command = [Guide.path("Scripts/printed"), Hopscope.path, try WatchedProgram.app.path()]
        // `make examples` has the time for the long ones.
        let all = ProcessInfo.processInfo.environment["HOPSCOPE_EXAMPLES"] == "1" ? ["--all"] : []
        let process = try await FinishedProcess.run(command + all, within: 280)
        #expect(process.status == 0, "\(process.output)\(process.errors)")
        #expect(process.output.contains(" commands ran, "))
    }
}
