import TaskEvents
import Testing
import TraceStore

/// Programs whose main function is the code at the top level of a file.
@Suite(.serialized)
struct TopLevelTests {
    @Test("A task that top-level code makes is called after it, with its line", arguments: [ProgramBuild.debug, .release])
    func names(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("TopLevel", isScript: true)).symbolized
        #expect(run.status == 0)
        let store = run.store
        let made = store.rows.map { store[$0] }.filter { [.asyncLet, .unstructured, .detached].contains($0.kind) }
        let lines = try ["// async let", "// task", "// later"].map { try ProgramBuild.line(of: $0, in: "TopLevel") }
        #expect(made.map(\.label.site) == lines.map { "TopLevel.swift:\($0)" })
        // A closure that only calls one function is called after it.
        #expect(made.allSatisfy { ["main", "work()"].contains($0.label.name) }, "\(made.map(\.label.name))")
    }
}
