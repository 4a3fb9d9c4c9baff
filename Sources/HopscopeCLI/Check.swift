import ArgumentParser
import TraceAnalysis
import TraceExport

/// `hopscope check`: whether anything in a trace is as it should not be, for CI.
struct Check: TraceCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks for what should not be in a trace; its exit status is 1 if it is there.",
        discussion: "The rules:\n" + WarningRules.all.map { "  \($0.id): \($0.summary)" }.joined(separator: "\n"))

    @OptionGroup var trace: TraceArgument

    @Option(
        name: .customLong("fail-on"), parsing: .upToNextOption,
        help: ArgumentHelp("The rules to fail on, 'all' or 'none'; all if it is not given.", valueName: "rule"))
    var failOn: [String] = []

    @Option(help: "text, json or junit.")
    var format = CheckResult.Format.text

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func validate() throws {
        _ = try failing()
    }

    func perform() throws {
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let reading = try trace.read(warnings.settings())
        let findings = CheckFinding.all(of: reading.warnings, in: reading.store)
        let result = CheckResult(
            of: reading.store, program: trace.program, rules: CheckRule.all, findings: findings, failOn: try failing())
        result.write(format, to: &output)
        try output.finish()
        if result.hasFailed { throw ExitCode(ExitStatus.checkFailed.rawValue) }
    }

    /// Rules stand one a word, or with commas between them.
    private func failing() throws -> FailOn {
        do {
            return try FailOn(failOn.flatMap { $0.split(separator: ",").map(String.init) }, known: CheckRule.all)
        } catch {
            throw ValidationError(error.description)
        }
    }
}

extension CheckResult.Format: ExpressibleByArgument {}
