import RemoteTasks
import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport

/// Why a program does not go on: the causes of its waits, each with the place, the chain that leads there, the holder and the socket.
struct WhyWaitingTool: AgentTool {
    let targets: AgentTargets

    let name = "why_waiting"
    let title = "Why it hangs"
    let use = """
        Use it first if a program hangs, or a request or test does not end. Answers with the causes, the likeliest first: a deadlock, a \
        continuation that nothing has resumed (and what holds it, or that nothing does), a blocked thread, a silent socket, an actor that \
        is held; each with its place in the source and the chain of waits that leads there. Also for a process that was started without \
        Hopscope, and for a core file.
        """
    var parameters: [ToolParameter] { AgentTargets.parameters + PageParameters.all }

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        switch try targets.target(of: arguments, .repeated) {
        case .trace(let trace):
            let causes = ReportedWaitCause.all(in: trace.store, outside: trace.outsideWaits)
            return AgentAnswer(
                AgentTarget.trace(trace).facts, list: "causes", total: causes.count, offset: arguments.offset,
                limit: arguments.limit(), remarks: trace.remarks
            ) { index in JSONValue(row: causes[index].write) }
        case .snapshot(let hang):
            let causes = SnapshotCause.all(of: hang)
            return AgentAnswer(
                AgentTarget.snapshot(hang).facts, list: "causes", total: causes.count, offset: arguments.offset,
                limit: arguments.limit(), remarks: Self.remarks(of: hang.report)
            ) { index in causes[index].value(in: hang.report) }
        }
    }

    private static func remarks(of report: SnapshotReport) -> [JSONValue.Field] {
        report.snapshot.isCore
            ? [.init(key: "not_checked", value: "Whether tasks went on: a core file shows one moment. Sockets: a core file has none.")] : []
    }
}

/// Equal causes in a snapshot, as of the requests that wait for one answer.
private struct SnapshotCause {
    let finding: ReportedFinding
    let tasks: [RemoteTask]
    var count = 1

    /// The largest number of causes that are compared.
    private static let limit = 5000

    /// The causes, the likeliest first.
    static func all(of hang: HangReport) -> [SnapshotCause] {
        var causes: [SnapshotCause] = []
        var known: [String: Int] = [:]
        for (finding, tasks) in hang.causes(limit: limit) {
            let key = "\(finding.site ?? "") \(finding.message.filter { !$0.isNumber })"
            if let index = known[key] {
                causes[index].count += 1
            } else {
                known[key] = causes.count
                causes.append(SnapshotCause(finding: finding, tasks: tasks))
            }
        }
        return causes
    }

    func value(in report: SnapshotReport) -> JSONValue {
        let wait = tasks.last.flatMap { report.row(of: $0).wait }
        return [
            "message": .string(finding.message), "where": JSONValue(finding.site), "task": JSONValue(tasks.last?.tracedNumber),
            "causes_alike": .integer(count), "waits_for": wait.map { wait in JSONValue(row: wait.write) } ?? .null,
            "evidence": .ends(of: finding.evidence) { .string($0.text) },
        ]
    }
}
