import InspectorTestKit
import Testing

/// The scenarios of the recipes under the probe: each is warned of its hazards, and not of their twins, which it plays as well.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecipeHazardTests {
    struct Recipe: Sendable, CustomTestStringConvertible {
        let scenario: String
        let rules: Set<String>
        /// What none of the sentences may speak of.
        let twins: [String]

        var testDescription: String { scenario }
    }

    static let recipes = [
        Recipe(scenario: "recipes-ordering", rules: ["start-order"], twins: ["`work ", "`then "]),
        Recipe(scenario: "recipes-invisible-error", rules: ["unobserved-fault"], twins: ["`#2", "in a chain"]),
        Recipe(scenario: "recipes-background", rules: ["slow-start"], twins: ["`#1", "`#2", "`#3"]),
        Recipe(scenario: "recipes-stream", rules: ["swallowed-error", "fixed-priority"], twins: ["chained", "link"]),
        Recipe(scenario: "recipes-blocking", rules: ["blocking-wait", "pool-starvation"], twins: ["roomy", "beside"]),
        Recipe(scenario: "recipes-reentrancy", rules: ["actor-reentrancy"], twins: ["CarefulCache"]),
    ]

    /// As in the probe's `HazardTests`: a machine that is busy with something else may add what is true of the program there.
    private static let attempts = 3

    @Test("A recipe is warned of its hazards, and not of what does the same work well", arguments: recipes)
    func hazards(_ recipe: Recipe) async throws {
        var report: PrintedReport?
        for _ in 0..<Self.attempts {
            let folder = try ScratchFolder()
            let file = folder.path("run.hop")
            let run = try await FinishedProcess.run([
                Hopscope.path, "record", "-o", file, "--", Hopscope.path, "demo", recipe.scenario, "--no-ui",
            ])
            #expect(run.status == 0, "\(run.errors)")
            report = try PrintedReport(of: try await FinishedProcess.run([Hopscope.path, "report", file, "--format", "json"]))
            if Set(report?.warnings.map(\.rule) ?? []) == recipe.rules { break }
        }
        let warnings = try #require(report).warnings
        #expect(Set(warnings.map(\.rule)) == recipe.rules, "\(warnings.map(\.message))")
        for twin in recipe.twins {
            #expect(!warnings.contains { $0.message.contains(twin) }, "\(twin)")
        }
    }
}

/// What was recorded under the probe, shown again.
@Suite(.timeLimit(.minutes(2)))
struct ProbeReplayTests {
    @Test("A replay finds the names of what the recording has by its place in the program")
    func names() async throws {
        let folder = try ScratchFolder()
        let file = folder.path("run.hop")
        _ = try await FinishedProcess.run([
            Hopscope.path, "record", "-o", file, "--", Hopscope.path, "demo", "recipes-reentrancy", "--no-ui", "--speed", "8",
        ])
        try await TerminalSession.run("replay", file, columns: 160, rows: 50) { terminal in
            try await terminal.wait(for: "CarelessCache.get()")
        }
    }
}
