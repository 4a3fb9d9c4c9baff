import RemoteTasks
import TraceAnalysis
import TraceReport
import TraceTransport

extension EndedProgram {
    /// Writes the findings of each hung process and keeps their recordings. Returns the exit status; nil if no finding makes the command
    /// fail.
    ///
    /// - Parameters:
    ///   - hang: with the processes to judge. Without any, one finding says that the program had not ended.
    ///   - check: returns the result for a process that the probe has recorded. The snapshot is the only source of findings about the others.
    func conclude(
        _ hang: Hang, failOn: FailOn, keepsRecordings: Bool = true, _ format: CheckResult.Format, to output: inout ResultOutput,
        check: (OpenedTrace, [ReportedFinding]) throws -> CheckResult
    ) throws -> ExitStatus? {
        let withoutTrace = { (program: String, findings: [ReportedFinding], tasks: Int?) in
            CheckResult(program: program, rules: [HangReport.rule], findings: findings, failOn: failOn, tasks: tasks)
        }
        var recorded: [ProgramTraces.RecordedProcess] = []
        let found = try hang.processes.map { process in
            guard let own = traces.busiestFirst.first(where: { $0.region.pid == process.pid }) else {
                return withoutTrace(process.program, process.findings, process.taskCount)
            }
            recorded.append(own)
            return try traces.open(own).map { try check($0, process.findings) }
                ?? withoutTrace(process.program, process.findings, process.taskCount)
        }
        let sentence = "'\(command[0])' had not ended after \(hang.deadline.text), and has no Swift process that could be looked at."
        let nothing = ReportedFinding(HangReport.rule, .error, sentence)
        let results = CheckResults(found.first ?? withoutTrace(command[0], [nothing], nil), others: Array(found.dropFirst()))
        results.write(format, to: &output)
        try output.finish()
        if keepsRecordings { traces.keep(recorded, because: "hang") }
        return results.hasFailed ? .checkFailed : nil
    }
}
