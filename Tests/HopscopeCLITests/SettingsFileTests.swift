import ArgumentParser
import Foundation
import Hopscope
import TaskEvents
import Testing
import TraceAnalysis
import TraceTestKit

@testable import HopscopeCLI

@Suite struct SettingsFileTests {
    @Test("A settings file sets the same values as the flags")
    func whole() throws {
        let file = try SettingsFile(
            text: """
                [warnings]
                off = ["redundant-hop"]
                suppress = ["unobserved-fault:probe*", "*:test*"]
                main = ["render*"]
                once = ["TokenStore"]

                [warnings.thresholds]
                main-stall = "50ms" # half of it
                fan-out = 500
                """)
        var expected = WarningSettings()
        for flag in ["redundant-hop=off", "main-stall=50ms", "fan-out=500"] { try expected.set(flag) }
        for flag in ["unobserved-fault:probe*", "*:test*"] { try expected.suppress(flag) }
        expected.mainNames = [NamePattern("render*")]
        expected.onceNames = [NamePattern("TokenStore")]
        #expect(file.warnings == expected)
        #expect(try SettingsFile(text: "").warnings == WarningSettings())
    }

    @Test(
        "A wrong line is reported with its place and the permitted values",
        arguments: [
            ("[warnings", "line 1, column"), ("[warning]", "'warning', which is not a setting"), ("warnings = 1", "is a table"),
            ("[warnings]\nof = []", "'of', which is not a setting; there are off, suppress, main, once, thresholds."),
            ("[warnings]\noff = \"fan-out\"", "'off' is a list of texts"), ("[warnings]\noff = [1]", "'off' is a list of texts"),
            ("[warnings]\noff = [\"fan\"]", "There is no rule 'fan'"), ("[warnings]\nsuppress = [\"x\"]", "in 'suppress', 'x' suppresses"),
            ("[warnings]\nthresholds = 1", "'thresholds' is a table"),
            ("[warnings.thresholds]\nfan-out = 1.5", "neither a text such as"),
            ("[warnings.thresholds]\nfan-out = \"5ms\"", "write a whole number such as 500"),
            ("[warnings.thresholds]\nmain-stall = 50", "write a duration such as 50ms"),
        ])
    func wrong(text: String, sentence: String) throws {
        let problem = #expect(throws: SettingsFile.Problem.self) { try SettingsFile(text: text) }
        #expect(problem?.sentence.contains(sentence) == true, "\(problem?.sentence ?? "nothing")")
    }

    @Test("A file that is not TOML is wrong usage, with its name, its line and the reason", arguments: ["[", "[.a]", "[#x]", "a = [}"])
    func notTOML(line: String) async throws {
        let scratch = try ScratchFolder()
        try scratch.write("[warnings]\n\(line)\n", to: ".hopscope.toml")
        try scratch.write("theme = \"dark\"\n\(line)\n", to: "hopscope/config.toml")
        let check = try await FinishedProcess.run(["sh", "-c", "cd \"$1\"; \"$0\" check -- true", Hopscope.path, scratch.path])
        #expect(check.status == 64, "\(check.errors)")
        #expect(check.errors.hasPrefix("hopscope: \(scratch.path("."))hopscope.toml: line 2, column "), "\(check.errors)")
        #expect(check.errors.hasSuffix(".\n"))
        let recorded = try await RecordedFolder()
        try await TerminalSession.run("replay", recorded.recording, environment: ["XDG_CONFIG_HOME": scratch.path]) { terminal in
            try await terminal.wait(for: "hopscope/config.toml: line 2, column ")
            #expect(try await terminal.ended().status == "64")
        }
    }

    @Test("Flags override the file; a wrong flag and a missing file are refused")
    func flags() throws {
        let scratch = try ScratchFolder()
        let file = scratch.path("settings.toml")
        try Data("[warnings]\noff = [\"fan-out\"]\n[warnings.thresholds]\nmain-stall = \"50ms\"\n".utf8).write(
            to: URL(fileURLWithPath: file))
        let options = try WarningOptions.parse([
            "--settings", file, "--set", "main-stall=20ms", "--suppress", "*:probe*",
        ])
        var expected = WarningSettings()
        for flag in ["fan-out=off", "main-stall=20ms"] { try expected.set(flag) }
        try expected.suppress("*:probe*")
        #expect(try options.settings() == expected)
        #expect(throws: (any Error).self) { try WarningOptions.parse(["--set", "main-stall=20"]) }
        #expect(throws: (any Error).self) { try WarningOptions.parse(["--settings", "/nowhere/at/all"]).settings() }
    }
}
