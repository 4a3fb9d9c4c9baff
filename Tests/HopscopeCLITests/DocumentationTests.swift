import Testing

/// The documentation of the modules that programs import.
@Suite(.timeLimit(.minutes(2)))
struct DocumentationTests {
    @Test("DocC compiles every page without a warning, and every link leads somewhere")
    func compiles() async throws {
        let process = try await FinishedProcess.run([Guide.path("Scripts/check-docs")], within: 100)
        #expect(process.status == 0, "\(process.output)\(process.errors)")
    }
}
