import Testing
import TraceTestKit

/// The recipes under the probe: the report warns of each recipe's hazard and not of the safe variant in the same recipe.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecipeHazardTests {
    struct Recipe: Sendable, CustomTestStringConvertible {
        let scenario: String
        let rules: Set<String>
        /// Names of the safe variants, which no warning may mention.
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

    /// Rules with a threshold in time. On a busy machine they may truly apply to any of the programs.
    private static let timedRules: Set = [
        "actor-contention", "blocking-wait", "hop-bounce", "late-cancel", "main-stall", "pool-starvation", "priority-inversion",
        "slow-start",
        "task-growth",
    ]

    @Test("A recipe's hazards get warnings, and its safe variants do not", arguments: recipes)
    func hazards(_ recipe: Recipe) async throws {
        let warnings = try await warnings(of: recipe)
        let found = Set(warnings.map(\.rule))
        #expect(found.isSuperset(of: recipe.rules) && found.subtracting(recipe.rules).isSubset(of: Self.timedRules), "\(warnings)")
        for warning in warnings where !Self.timedRules.contains(warning.rule) || recipe.rules.contains(warning.rule) {
            for twin in recipe.twins { #expect(!warning.message.contains(twin), "\(warning.message)") }
        }
    }

    @Test("On an idle machine a recipe raises no other warning", .enabled(if: TimedTests.areWanted), arguments: recipes)
    func noOtherWarnings(_ recipe: Recipe) async throws {
        let warnings = try await warnings(of: recipe)
        #expect(Set(warnings.map(\.rule)) == recipe.rules, "\(warnings.map(\.message))")
    }

    private func warnings(of recipe: Recipe) async throws -> [PrintedReport.Warning] {
        let folder = try ScratchFolder()
        let file = folder.path("run.hop")
        let run = try await FinishedProcess.run([
            Hopscope.path, "record", "-o", file, "--", Hopscope.path, "demo", recipe.scenario, "--no-ui",
        ])
        #expect(run.status == 0, "\(run.errors)")
        let report = try await FinishedProcess.run([Hopscope.path, "report", file, "--format", "json", "--once", "*Cache"])
        return try PrintedReport(of: report).warnings
    }
}

/// A replay of a recording that was made under the probe.
@Suite(.timeLimit(.minutes(2)))
struct ProbeReplayTests {
    @Test("A replay resolves names from the recorded code locations")
    func names() async throws {
        let folder = try ScratchFolder()
        let file = folder.path("run.hop")
        _ = try await FinishedProcess.run([
            Hopscope.path, "record", "-o", file, "--", Hopscope.path, "demo", "recipes-reentrancy", "--no-ui", "--speed", "8",
        ])
        try await TerminalSession.run("replay", file, columns: 160, rows: 50) { terminal in
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("1")
            try await terminal.wait(for: "CarelessCache.get()")
        }
    }
}
