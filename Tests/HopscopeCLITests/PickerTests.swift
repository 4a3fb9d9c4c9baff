import Testing

/// `hopscope` alone, in a real terminal.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PickerTests {
    @Test("It lists processes, recordings and demos, and Enter opens a demo") func opensADemo() async throws {
        try await TerminalSession.run([]) { terminal in
            try await terminal.wait(for: "pick a process, a recording or a demo", "Running Swift programs", "Enter open")
            try await terminal.press("/")
            for letter in "kinesis-save" { try await terminal.press(String(letter)) }
            try await terminal.wait(for: "Enter runs hopscope demo kinesis-save-fails")
            try await terminal.press("Enter")
            try await terminal.wait(for: "■ ended")
            try await terminal.press("8")
            try await terminal.wait(for: "[8 ")
            try await terminal.wait(for: "kinesis-save-fails: AWS guide")
        }
    }

    @Test("q leaves the terminal as it was, with status 0") func quits() async throws {
        try await TerminalSession.run([]) { terminal in
            try await terminal.wait(for: "Running Swift programs")
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0" && !end.modes.isAlternateScreen)
        }
    }
}
