import Foundation
import Testing

/// `hopscope screen` prints the inspector's screens without a terminal.
@Suite(.timeLimit(.minutes(2)))
struct ScreenCommandTests {
    @Test("Every screen is printed, the same from a recording and from the region of the same run", arguments: ["text", "ansi", "svg"])
    func printsEveryScreen(format: String) async throws {
        let folder = try await RecordedFolder()
        let help = try await Hopscope.run("screen", "--help")
        let names = ["tasks", "graph", "executors", "timeline", "faults", "hops"]
        for name in names {
            #expect(help.output.contains(name))
            let command = ["screen", "--view", name, "--size", "100x24", "--to", format]
            let recorded = try await FinishedProcess.run([Hopscope.path] + command + [folder.recording])
            let left = try await FinishedProcess.run([Hopscope.path] + command + [folder.region])
            #expect(recorded.status == 0, "\(name): \(recorded.errors)")
            // The two readers compared the clocks at different moments, so their times differ by microseconds, and a bar by an eighth.
            let digitsAndEighths = /[0-9▏▎▍▌▋▊▉█▐]/
            #expect(recorded.output.replacing(digitsAndEighths, with: "0") == left.output.replacing(digitsAndEighths, with: "0"), "\(name)")
            #expect(recorded.output.contains("kinesis-save-fails"))
            if format == "svg" { #expect(recorded.output.hasPrefix("<svg ") && recorded.output.hasSuffix("</svg>\n")) }
            if format == "text" { #expect(recorded.output.split(separator: "\n", omittingEmptySubsequences: false).count == 25) }
        }
    }

    @Test("--at shows the state just after that event")
    func showsAnEvent() async throws {
        let folder = try await RecordedFolder()
        let start = try await Hopscope.run("screen", folder.recording, "--view", "tasks", "--at", "0")
        #expect(start.output.contains("0 tasks"))
        let end = try await Hopscope.run("screen", folder.recording, "--view", "tasks")
        #expect(end.output.contains("3 tasks") && end.output.contains("1 fault "))
        // Before the error is thrown, both tasks are pending.
        let before = try await Hopscope.run("screen", folder.recording, "--view", "tasks", "--at", "4", "--size", "120x24")
        #expect(before.output.contains("paused at event 4 of"))
        #expect(!before.output.contains("1 fault "))
        let beyond = try await Hopscope.run("screen", folder.recording, "--view", "tasks", "--at", "4000")
        #expect(beyond.status == 64)
        #expect(beyond.errors.contains("There is no event 4000"))
    }

    @Test("A picture has the background of its theme", arguments: [("dark", "#121212"), ("light", "#ffffff"), ("contrast", "#000000")])
    func hasAThemesGround(theme: String, ground: String) async throws {
        let folder = try await RecordedFolder()
        let picture = try await Hopscope.run("screen", folder.recording, "--view", "graph", "--to", "svg", "--theme", theme)
        #expect(picture.output.contains("rx=\"8\" shape-rendering=\"auto\" fill=\"\(ground)\"/>"))
    }

    @Test(
        "A wrong view, size or event is wrong usage",
        arguments: [
            ["--view", "weather"], ["--view", "tasks", "--size", "wide"], ["--view", "tasks", "--size", "80"],
            ["--view", "tasks", "--at", "-1"],
            ["--view", "tasks", "--to", "png"], ["--view", "tasks", "--theme", "pink"], [],
        ])
    func wrongUsage(options: [String]) async throws {
        let process = try await FinishedProcess.run([Hopscope.path, "screen", "/dev/null"] + options)
        #expect(process.status == 64)
    }
}
