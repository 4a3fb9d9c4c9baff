import Foundation
import Hopscope
import TaskEvents

/// Runs a program under the probe and checks it, as `hopscope check --timeout` does. It keeps a recording for the other tools.
struct RunCheckTool: AgentTool {
    let time: TimeSource

    let name = "run_check"
    let title = "Run a program and check it"
    let use = """
        Use it to run a test or a program under the probe, such as ["swift", "test"]. It is ended after the timeout if it hangs. Answers \
        with its exit status, the findings (rule 'hang' says what held it up), the end of its output, and the path of the recording, \
        which is the target for the other tools. Only if the user has allowed control.
        """
    let isReadOnly = false

    private static let usualTimeout = 60
    private static let longestTimeout = 3600

    var parameters: [ToolParameter] {
        [
            ToolParameter(
                name: "command", kind: .texts, meaning: "The program and its arguments, one text each; no shell is involved.",
                isRequired: true),
            ToolParameter(
                name: "timeout_s", kind: .number(1...Self.longestTimeout),
                meaning: "The seconds after which the program is ended; \(Self.usualTimeout) without it."),
            ToolParameter(name: "folder", kind: .text, meaning: "The folder in which it runs; without it, the server's."),
        ]
    }

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        let command = arguments.texts("command")
        guard let program = command.first, !program.isEmpty else {
            throw UserError("'command' names no program; its first text does.", .wrongUsage)
        }
        if let folder = arguments.text("folder"), access(folder, X_OK) != 0 {
            throw UserError("There is no folder '\(folder)' that you may enter.", .noSuchFile)
        }
        let timeout = arguments.number("timeout_s") ?? Self.usualTimeout
        let name = URL(fileURLWithPath: program).lastPathComponent
        let kept = try KeptRecording.path(program: name, pid: getpid(), trigger: "check", at: time.dateSeconds)
        let recording = URL(fileURLWithPath: kept).path
        let result = FileManager.default.temporaryDirectory.appendingPathComponent("hopscope-\(UUID().uuidString).json").path
        defer { unlink(result) }
        let check = [
            "/proc/self/exe", "check", "--timeout", "\(timeout)s", "--format", "json", "--output", result, "--record", recording, "--",
        ]
        let run = ObservedRun(check + command, folder: arguments.text("folder"), time: time)
        let outcome = try run.wait(seconds: timeout + Self.grace, call)
        return answer(outcome, result, recording)
    }

    /// The seconds that the check may take beside the program's time.
    private static let grace = 120

    private func answer(_ outcome: ObservedRun.Outcome, _ result: String, _ recording: String) -> AgentAnswer {
        let bytes = FileManager.default.contents(atPath: result) ?? Data()
        let checked = bytes.count <= Self.mostBytes ? try? JSONValue(parsing: bytes) : nil
        let groups = Self.groups(checked)
        var facts: [JSONValue.Field] = [
            .init(key: "ending", value: .string(outcome.ending)),
            .init(key: "failed", value: checked?["failed"] ?? .null),
            .init(key: "recording", value: access(recording, R_OK) == 0 ? .string(recording) : .null),
            .init(key: "output_end", value: outcome.output.isEmpty ? .null : .string(outcome.output)),
        ]
        if checked == nil {
            let isMissing = bytes.isEmpty
            let reason = isMissing ? "The check has no result; 'output_end' says why." : "The result is too long; ask about the recording."
            facts.append(.init(key: "problem", value: .string(reason)))
        }
        facts.append(.init(key: "findings_in_all", value: .integer(groups.count)))
        let next = JSONValue.Field(key: "next", value: "The other tools take the recording as their target; findings has all of them.")
        return AgentAnswer(facts, list: "findings", rows: Array(groups.prefix(Self.mostRows)), remarks: Self.unchecked(checked) + [next])
    }

    private static let mostRows = 20

    private static let mostBytes = 1 << 24

    /// The findings of all processes, equal ones together.
    private static func groups(_ checked: JSONValue?) -> [JSONValue] {
        guard let checked else { return [] }
        let processes = [checked] + elements(checked["others"])
        var rows: [(first: JSONValue, count: Int)] = []
        var known: [[JSONValue?]: Int] = [:]
        for finding in processes.flatMap({ elements($0["findings"]) }) {
            let place = finding["site"] == .null ? finding["message"] : finding["site"]
            if let index = known[[finding["rule"], place]] {
                rows[index].count += 1
            } else {
                known[[finding["rule"], place]] = rows.count
                rows.append((finding, 1))
            }
        }
        return rows.map { first, count in
            let kept = ["rule", "severity", "message", "site", "task", "name"].map { key in
                JSONValue.Field(key: key == "site" ? "where" : key, value: first[key] ?? .null)
            }
            let evidence = JSONValue.ends(of: elements(first["evidence"])) { $0["text"] ?? .null }
            return .object(kept + [.init(key: "count", value: .integer(count)), .init(key: "evidence", value: evidence)])
        }
    }

    private static func elements(_ list: JSONValue?) -> [JSONValue] {
        if case .array(let elements) = list { elements } else { [] }
    }

    private static func unchecked(_ checked: JSONValue?) -> [JSONValue.Field] {
        UncheckedRules.remarks(
            elements(checked?["rules"]).compactMap { rule in
                rule["why"]?.text.flatMap { why in rule["rule"]?.text.map { ($0, why) } }
            })
    }
}
