import ArgumentParser
import Hopscope
import TaskEvents
import TraceAnalysis

/// The warning settings for every command that reads a trace: the settings file, and flags that override or extend it.
struct WarningOptions: ParsableArguments {
    @Option(
        name: .customLong("settings"),
        help: ArgumentHelp(
            "The settings file (default: the nearest .hopscope.toml in this directory or above it).", valueName: "file"))
    var file: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("A rule's threshold, or off: main-stall=50ms. Can be given again.", valueName: "rule=value"))
    var rules: [String] = []

    @Option(
        name: .customLong("suppress"),
        help: ArgumentHelp("Findings to leave out, by rule and task's name: 'unobserved-fault:probe*', '*:test*'.", valueName: "rule:name"))
    var suppressions: [String] = []

    @Option(
        name: .customLong("main"), help: ArgumentHelp("Tasks that belong on main, for the rule off-main: 'render*'.", valueName: "name"))
    var mainNames: [String] = []

    @Option(
        name: .customLong("once"),
        help: ArgumentHelp("Actors whose calls must not repeat work, for the rule actor-reentrancy: 'TokenStore'.", valueName: "name"))
    var onceNames: [String] = []

    func validate() throws {
        var settings = WarningSettings()
        try apply(to: &settings)
    }

    /// The settings of the file, changed by the flags. Throws an error for an unknown setting.
    func settings() throws -> WarningSettings {
        var settings = WarningSettings()
        if let path = file ?? SettingsFile.nearest() {
            do {
                settings = try SettingsFile(path: path).warnings
            } catch {
                throw UserError(error.sentence, .wrongUsage)
            }
        }
        try apply(to: &settings)
        return settings
    }

    private func apply(to settings: inout WarningSettings) throws {
        do {
            for rule in rules { try settings.set(rule) }
            for suppression in suppressions { try settings.suppress(suppression) }
        } catch {
            throw ValidationError(error.description)
        }
        settings.mainNames += mainNames.map(NamePattern.init)
        settings.onceNames += onceNames.map(NamePattern.init)
    }
}
