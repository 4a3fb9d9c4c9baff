import Foundation
import Testing
import TraceTestKit

/// A scripted agent, which sends messages to `hopscope mcp` and reads the answers.
enum AgentDialogue {
    struct Call: Sendable {
        let tool: String
        let arguments: String

        init(_ tool: String, _ arguments: String = "{}") {
            (self.tool, self.arguments) = (tool, arguments)
        }
    }

    /// The answers to the tools' calls, in order. The agent closes the input when it has all answers.
    static func answers(
        _ calls: [Call], options: [String] = [], environment: [String] = [], within seconds: Int = 60
    ) async throws -> [JSONObject] {
        let messages = calls.enumerated().map { index, call in
            #"{"jsonrpc":"2.0","id":\#(index),"method":"tools/call","params":{"name":"\#(call.tool)","arguments":\#(call.arguments)}}"#
        }
        let ended = try await run(
            messages, awaiting: calls.count, options: options, environment: environment, within: seconds)
        #expect(ended.status == 0, "\(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        #expect(lines.count == calls.count, "\(ended.output)")
        return try lines.enumerated().map { index, line in
            let answer = try JSONObject(line)
            #expect(answer.number("id") == index)
            let content = try #require(answer.object("result").list("content").first?.text("text"), "\(line)")
            #expect(content.utf8.count <= 4000)
            return try JSONObject(content)
        }
    }

    /// Sends lines as they are, and closes the input once so many answers have come.
    static func run(
        _ lines: [String], awaiting count: Int = 0, options: [String] = [], environment: [String] = [], within seconds: Int = 60
    ) async throws -> FinishedProcess {
        let folder = try ScratchFolder()
        try folder.write(lines.map { $0 + "\n" }.joined(), to: "messages")
        let script = """
            cd "$1"; count=$2; shift 2; mkfifo input; : >answers
            "$@" <input >answers & server=$!
            exec 3>input; cat messages >&3
            while [ "$(wc -l <answers)" -lt "$count" ] && kill -0 $server 2>/dev/null; do sleep 0.02; done
            exec 3>&-; wait $server; status=$?; cat answers; exit $status
            """
        return try await FinishedProcess.run(
            ["sh", "-c", script, "sh", folder.path, "\(count)"] + environment + [Hopscope.path, "mcp"] + options, within: seconds)
    }
}
