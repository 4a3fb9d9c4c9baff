import InspectorTestKit
import Testing
import TraceTestKit

/// `Docs/Commands.md` and the list of `Docs/Scenarios.md` are written from what the command says of itself.
@Suite(.timeLimit(.minutes(2)))
struct CommandDocumentTests {
    @Test("Docs/Commands.md has every command with its options")
    func commands() async throws {
        let description = try await Hopscope.run("--experimental-dump-help")
        let commands = try JSONObject(description.output).object("command").list("subcommands").filter {
            $0.text("commandName") != "help" && $0.number("shouldDisplay") != 0
        }
        let lines = commands.map { command in
            let options = command.list("arguments").filter { $0.number("shouldDisplay") == 1 }.compactMap(Self.row)
            return ["## \(command.text("commandName") ?? "")", "", command.text("abstract") ?? ""]
                + (options.isEmpty ? [] : [""] + DocumentTable.lines(["Argument", "Means", "Default"], options))
        }
        #expect(try DocumentTable("commands", of: "Commands.md").difference(from: Array(lines.joined(separator: [""]))) == nil)
    }

    @Test("Docs/Scenarios.md begins with what 'demo --list' prints")
    func scenarios() async throws {
        let list = try await Hopscope.run("demo", "--list")
        let rows = list.output.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 1)
            return ["`\(words[0])`", String(words[1].drop { $0 == " " })]
        }
        let lines = DocumentTable.lines(["Scenario", "Shows"], rows)
        #expect(try DocumentTable("scenarios", of: "Scenarios.md").difference(from: lines) == nil)
    }

    /// Nil for the options of every command, which the text before the table names.
    private static func row(_ argument: JSONObject) -> [String]? {
        let names = argument.list("names").map { ($0.text("kind") == "short" ? "-" : "--") + ($0.text("name") ?? "") }
        guard !names.contains("--help"), !names.contains("--version") else { return nil }
        let value = argument.text("kind") == "flag" ? "" : (argument.text("valueName") ?? "").uppercased()
        let spelling = (names.isEmpty ? [value] : [names.joined(separator: ", ") + (value.isEmpty ? "" : " \(value)")])[0]
        return ["`\(spelling)`", argument.text("abstract") ?? "", argument.text("defaultValue") ?? ""]
    }
}
