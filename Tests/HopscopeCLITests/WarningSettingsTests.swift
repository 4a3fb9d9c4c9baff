import Testing
import TraceTestKit

/// Warning settings reach every command that shows a trace.
@Suite(.timeLimit(.minutes(2)))
struct WarningSettingsTests {
    private static let finding = "unobserved-fault"

    @Test("The inspector on a recording accepts the flags")
    func replay() async throws {
        let folder = try await RecordedFolder(scenario: "recipes-invisible-error")
        try await TerminalSession.run("replay", folder.recording) { terminal in
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("7")
            try await terminal.wait(for: Self.finding)
        }
        try await TerminalSession.run("replay", folder.recording, "--suppress", "unobserved-fault:*") { terminal in
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("7")
            try await terminal.wait(for: "1 finding suppressed")
        }
    }

    @Test("`screen` accepts the flags")
    func screen() async throws {
        let folder = try await RecordedFolder(scenario: "recipes-invisible-error")
        let command = ["screen", folder.recording, "--view", "warnings"]
        let with = try await FinishedProcess.run([Hopscope.path] + command)
        #expect(with.output.contains(Self.finding) && !with.output.contains("No rule found"))
        let without = try await FinishedProcess.run([Hopscope.path] + command + ["--set", "unobserved-fault=off"])
        #expect(without.output.contains("No rule found") && without.output.contains("not checked: the settings switch it off"))
        let wrong = try await FinishedProcess.run([Hopscope.path] + command + ["--set", "unobserved=off"])
        #expect(wrong.status == 64)
    }

    @Test("The Overview does not say that no error is lost while a rule that looks for lost ones is off")
    func overview() async throws {
        let folder = try await RecordedFolder(scenario: "recipes-invisible-error")
        let off = ["--set", "unobserved-fault=off", "--set", "swallowed-error=off"]
        let screen = try await FinishedProcess.run([Hopscope.path, "screen", folder.recording, "--view", "overview"] + off)
        #expect(screen.output.contains("No rule found anything. 3 faults."))
        #expect(!screen.output.contains("none of them unread"))
    }

    @Test("A program's own inspector uses the .hopscope.toml of its directory")
    func program() async throws {
        let folder = try ScratchFolder()
        try folder.write("[warnings]\nmain = [\"fetch*\"]\n", to: ".hopscope.toml")
        let script = "cd '\(folder.path)' && exec '\(Hopscope.example)'"
        try await TerminalSession.run("-c", script, program: "/bin/sh") { terminal in
            try await terminal.wait(for: "1 Tasks")
            try await terminal.press("7")
            try await terminal.wait(for: "off-main")
        }
        try folder.write("[warnings\n", to: ".hopscope.toml")
        try await TerminalSession.run("-c", script, program: "/bin/sh") { terminal in
            try await terminal.wait(for: "is not TOML")
        }
    }
}
