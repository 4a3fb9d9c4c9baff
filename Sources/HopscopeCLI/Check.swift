import ArgumentParser
import TraceExport
import TraceStore

/// `hopscope check`: whether anything in a trace is as it should not be, for CI.
struct Check: TraceCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks for what should not be in a trace; its exit status is 1 if it is there.",
        discussion: "The rules: \(FaultFindings.rules.map(\.rawValue).joined(separator: ", ")).")

    @OptionGroup var trace: TraceArgument

    @Option(
        name: .customLong("fail-on"), parsing: .upToNextOption,
        help: ArgumentHelp("The rules to fail on, 'all' or 'none'; all if it is not given.", valueName: "rule"))
    var failOn: [String] = []

    @Option(help: "text, json or junit.")
    var format = CheckResult.Format.text

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    func validate() throws {
        _ = try failing()
    }

    func perform() throws {
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let store = trace.read().store
        let findings = FaultFindings(store).findings()
        let result = CheckResult(
            of: store, program: trace.program, rules: FaultFindings.rules, findings: findings, failOn: try failing())
        result.write(format, to: &output)
        try output.finish()
        if result.hasFailed { throw ExitCode(ExitStatus.checkFailed.rawValue) }
    }

    /// Rules stand one a word, or with commas between them.
    private func failing() throws -> FailOn {
        do {
            return try FailOn(failOn.flatMap { $0.split(separator: ",").map(String.init) }, known: FaultFindings.rules)
        } catch {
            throw ValidationError(error.description)
        }
    }
}

extension CheckResult.Format: ExpressibleByArgument {}
