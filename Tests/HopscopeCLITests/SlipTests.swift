import Foundation
import Testing
import TraceTestKit

/// What is typed with a small slip is understood, or answered with what to type.
@Suite(.timeLimit(.minutes(2)))
struct SlipTests {
    @Test(
        "A program after 'run' needs no terminator, and its own options stay its own",
        arguments: [["run"], ["run", "--no-ui"], ["run", "--timeout", "60s"], ["run", "--set=main-stall=50ms", "--"]])
    func runWithoutTerminator(command: [String]) async throws {
        let script = "echo \"$@\"; exit 7"
        let ended = try await FinishedProcess.run([Hopscope.path] + command + ["sh", "-c", script, "sh", "--record", "--", "-x"])
        #expect(ended.status == 7, "\(ended.errors)")
        #expect(ended.output.contains("--record -- -x\n"), "\(ended.output)")
    }

    @Test("An option that is named by one letter takes its value", arguments: [["-o"], ["--output"]])
    func shortOption(option: [String]) async throws {
        let folder = try ScratchFolder()
        let ended = try await FinishedProcess.run([Hopscope.path, "explore"] + option + [folder.path("result"), "--", "true"])
        // `true` has no Swift runtime.
        #expect(ended.status == 69, "\(ended.errors)")
    }

    @Test(
        "A misspelt command is answered with the nearest",
        arguments: [("atach", " Did you mean 'attach'?"), ("rnu", ""), ("rec", " Did you mean 'record'?"), ("frobnicate", "")])
    func command(word: String, question: String) async throws {
        let ended = try await Hopscope.run(word, "1")
        #expect(ended.status == 64)
        #expect(ended.errors == "hopscope: There is no command '\(word)'.\(question) 'hopscope --help' lists the commands.\n")
    }

    @Test("A file in the place of a command is answered with the command for it") func fileForCommand() async throws {
        let folder = try ScratchFolder()
        let recording = folder.path("demo.hop")
        #expect(try await Hopscope.run("demo", "kinesis-submit-fails", "--speed", "10", "--no-ui", "--record", recording).status == 0)
        for (file, advice) in [(recording, "It is a recording: 'hopscope replay"), (Hopscope.path, "It is a program: 'hopscope run")] {
            let ended = try await Hopscope.run(file)
            #expect(ended.status == 64)
            #expect(ended.errors.hasPrefix("hopscope: There is no command '\(file)'. \(advice) \(file)' "), "\(ended.errors)")
        }
    }

    @Test(
        "A misspelt demo is answered with the nearest",
        arguments: [("frobnicate", ""), ("kinesis-sucess", " Did you mean 'kinesis-success'?")])
    func demo(word: String, question: String) async throws {
        let ended = try await Hopscope.run("demo", word)
        #expect(ended.status == 64)
        #expect(ended.errors.contains("There is no scenario '\(word)'.\(question) 'hopscope demo --list'"), "\(ended.errors)")
    }

    @Test("A program in the place of a trace is answered with what to type", arguments: ["attach", "report", "check"])
    func programForTrace(command: String) async throws {
        let ended = try await Hopscope.run(command, Hopscope.path)
        #expect(ended.status == 65)
        #expect(ended.errors.contains("is a program, not a trace: 'hopscope run \(Hopscope.path)' starts it"), "\(ended.errors)")
    }
}
