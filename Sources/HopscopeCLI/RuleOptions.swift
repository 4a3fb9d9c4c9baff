import ArgumentParser
import TraceAnalysis

/// How the rules are asked: their thresholds, and what they are not to tell.
struct RuleOptions: ParsableArguments {
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("A rule's threshold, or 'off': main-stall=50ms. Can be given again.", valueName: "rule=value"))
    var thresholds: [String] = []

    @Option(
        name: .customLong("suppress"),
        help: ArgumentHelp("Findings not to tell, by rule and task: 'unobserved-fault:probe*', '*:test*'.", valueName: "rule:name"))
    var suppressions: [String] = []

    func validate() throws {
        do {
            _ = try settings()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func settings() throws -> WarningSettings {
        var settings = WarningSettings()
        for threshold in thresholds { try settings.set(threshold) }
        for suppression in suppressions { try settings.suppress(suppression) }
        return settings
    }
}
