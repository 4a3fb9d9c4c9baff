import Hopscope
import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceTransport

/// The processes and the traces that an agent can ask about.
struct ProcessesTool: AgentTool {
    let time: TimeSource

    let name = "processes"
    let title = "Swift processes and traces"
    let use = """
        Use it to find the target of the other tools: this user's running Swift processes with their numbers, ages and numbers of tasks, \
        and the traces that ended processes left.
        """
    let parameters = PageParameters.all

    /// The nanoseconds after which no more tasks are counted.
    private static let limit: UInt64 = 10_000_000_000

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        let publishers = ListedProcess.publishers
        let processes = SwiftProcess.all()
        let listed = processes.filter { !$0.isTool } + processes.filter(\.isTool)
        let left = TraceArgument.published().filter { $0.writer == .ended }
        let since = time.now
        return AgentAnswer(
            [], list: "processes", total: listed.count + left.count, offset: arguments.offset, limit: arguments.limit()
        ) { index in
            guard index < listed.count else { return Self.value(left[index - listed.count]) }
            let process = listed[index]
            let isPublishing = publishers.contains(process.pid)
            let counts = !process.isTool && time.now - since < Self.limit
            let row = counts ? ListedProcess(process, isPublishing: isPublishing) : nil
            return Self.value(row ?? ListedProcess(uncounted: process, isPublishing: isPublishing))
        }
    }

    private static func value(_ listed: ListedProcess) -> JSONValue {
        [
            "target": .string(String(listed.process.pid)), "program": .string(listed.process.program),
            "age_s": .integer(Int(listed.process.age)), "tasks": JSONValue(listed.taskCount.map { UInt64($0) }),
            "how": JSONValue(listed.route?.rawValue), "problem": JSONValue(listed.problem?.description),
        ]
    }

    private static func value(_ trace: PublishedTrace) -> JSONValue {
        [
            "target": .string(trace.path), "program": .string(trace.program), "state": "ended",
            "events": JSONValue(UInt64(trace.recordCount)),
        ]
    }
}
