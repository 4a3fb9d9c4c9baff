import ArgumentParser
import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTransport

/// `hopscope check`: applies the warning rules to a trace and fails if a chosen rule finds something, for CI.
struct CheckCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Applies the warning rules to a trace; the exit status is 1 if one finds something.",
        usage: """
            hopscope check [<trace>] [--fail-on <rule> ...] [--format <format>]
            hopscope check [--fail-on <rule> ...] [--process <pattern>] [--timeout <time>] [--record <file>] \
            [--format <format>] -- <program> [<arguments> ...]
            """,
        discussion: """
            The program runs under the probe, with the terminal, the input and the output. Every process that it starts is checked, except \
            those of the Swift toolchain. If no check fails, the exit status is the program's.

            The rules:

            """ + WarningRules.all.map { "  \($0.id): \($0.summary)" }.joined(separator: "\n"))

    @OptionGroup var trace: TraceArgument

    @OptionGroup var program: ProgramArgument

    @Option(
        name: .customLong("fail-on"), parsing: .upToNextOption,
        help: ArgumentHelp("The rules to fail on, 'all' or 'none'; without the option, all.", valueName: "rule"))
    var failOn: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Rules that must be checked: if the trace lacks the events for one, the exit status is 69.", valueName: "rule"))
    var require: [String] = []

    @Option(
        name: .customLong("process"),
        help: ArgumentHelp(
            "Check only processes with such a name, as '*PackageTests*' (default: all but the toolchain's).", valueName: "pattern"))
    var pattern: String?

    @Option(help: "text, json, junit or sarif.")
    var format = CheckResult.Format.text

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("The file to record the program into.", valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp("End the program after this time, such as 60s, and report what held it up (rule 'hang').", valueName: "time"))
    var timeout: Deadline?

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    mutating func validate() throws {
        failOn = trace.takeTrace(from: failOn, before: program.command)
        require = trace.takeTrace(from: require, before: program.command)
        _ = try failing()
        _ = try required()
        try program.check(against: trace)
        guard timeout == nil || !program.command.isEmpty else {
            throw ValidationError("--timeout ends a program that is named after '--'.")
        }
        guard record == nil || !program.command.isEmpty else {
            throw ValidationError("--record records a program that is named after '--'.")
        }
        guard pattern == nil || !program.command.isEmpty else {
            throw ValidationError("--process chooses among the processes of a program after '--'.")
        }
    }

    func perform() throws {
        let settings = try warnings.settings()
        guard program.command.isEmpty else { try checkProgram(settings) }
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let result = CheckResults(try check(trace, settings))
        result.write(format, to: &output)
        try output.finish()
        if let status = try status(of: result) { throw ExitCode(status.rawValue) }
    }

    private func checkProgram(_ settings: WarningSettings) throws -> Never {
        if let record { try RegionRecording.check(record) }
        var output = try ResultOutput(output)
        let ended = try EndedProgram.run(program.command, recordingTo: record, deadline: timeout, time: clock)
        ended.conclude { processes in
            if var hang = ended.hang {
                hang.processes = hang.processes.filter { process in pattern.map { NamePattern($0).matches(process.program) } ?? true }
                return try ended.conclude(hang, failOn: failing(), keepsRecordings: record == nil, format, to: &output) {
                    try check($0, settings, adding: $1)
                }
            }
            guard !processes.isEmpty else { throw ended.nothingSeen }
            let judged = processes.filter(isJudged)
            let leftOut = processes.filter { !isJudged($0) }
            if !leftOut.isEmpty { StandardError.say("Left out: \(ProgramTraces.list(leftOut)). \(reason)") }
            let traces = judged.compactMap { ended.traces.open($0) }
            guard let busiest = traces.first else {
                throw UserError("No process of '\(program.command[0])' was checked.", .cannotStart)
            }
            let results = CheckResults(try check(busiest, settings), others: try traces.dropFirst().map { try check($0, settings) })
            results.write(format, to: &output)
            try output.finish()
            return try status(of: results)
        }
    }

    /// Whether the check judges a process: its name matches the pattern, or, without a pattern, it does not belong to the Swift toolchain.
    private func isJudged(_ process: ProgramTraces.RecordedProcess) -> Bool {
        pattern.map { NamePattern($0).matches(process.region.program) } ?? !process.origin.isToolchain
    }

    /// The reason why the check skips processes.
    private var reason: String {
        pattern.map { "Their names do not match '\($0)'." } ?? "They belong to the Swift toolchain; '--process PATTERN' chooses others."
    }

    private func check(_ trace: OpenedTrace, _ settings: WarningSettings, adding hang: [ReportedFinding] = []) throws -> CheckResult {
        let reading = trace.read(settings, time: clock)
        return try reading.announcing("Checking") {
            let findings = ReportedFinding.all(of: reading.warnings, in: reading.store)
            return CheckResult(
                of: reading.store, program: trace.program, rules: rules, findings: hang + findings, failOn: try failing(),
                checks: reading.warnings.checks)
        }
    }

    /// The exit status. Nil if every required rule was checked and no rule failed. Names each required rule that could not be checked.
    private func status(of results: CheckResults) throws -> ExitStatus? {
        let missing = results.missing(try required())
        for sentence in missing { StandardError.say(sentence) }
        guard missing.isEmpty else { return .cannotStart }
        return results.hasFailed ? .checkFailed : nil
    }

    /// The rules of this check. `hang` is among them if the check has a deadline.
    private var rules: [String] { (timeout == nil ? [] : [HangReport.rule]) + WarningRules.all.map(\.id) }

    /// The rules that `--require` names; `all` names every rule.
    private func required() throws -> [String] {
        let words = require.flatMap { $0.split(separator: ",").map(String.init) }
        guard !words.isEmpty else { return [] }
        do {
            let required = try FailOn(words, known: rules)
            return rules.filter(required.includes)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// The rules that `--fail-on` names. Accepts one rule per word, or several separated by commas.
    private func failing() throws -> FailOn {
        do {
            return try FailOn(failOn.flatMap { $0.split(separator: ",").map(String.init) }, known: rules)
        } catch {
            throw ValidationError(error.description)
        }
    }
}

extension CheckResult.Format: ExpressibleByArgument {}
