import Testing

/// The time cursor in a real terminal.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TimeTravelTests {
    @Test("A running program is paused, stepped back through, and followed live again")
    func live() async throws {
        try await TerminalSession.run("demo", "guides", columns: 120) { terminal in
            try await terminal.wait(for: "events to step back through") { $0.eventCount.map { $0 > 3 } ?? false }
            try await terminal.press("Space")
            let paused = try #require(try await terminal.wait(for: "paused at event").position)
            // The program continues; the screen stays.
            try await terminal.wait(for: "more events") { $0.position.map { $0.count > paused.count && $0.event == paused.event } ?? false }
            try await terminal.press(",", ",", ",")
            try await terminal.wait(for: "three events before") { $0.position?.event == paused.event - 3 }
            try await terminal.press(".")
            try await terminal.wait(for: "one event after") { $0.position?.event == paused.event - 2 }
            try await terminal.press("End")
            try await terminal.wait(for: "▶ live")
        }
    }

    @Test("An ended program is stepped through from its end")
    func ended() async throws {
        try await TerminalSession.run("demo", "kinesis-save-fails", "--speed", "10", columns: 120) { terminal in
            try await terminal.wait(for: "■ ended")
            try await terminal.press("{")
            try await terminal.wait(for: "the hop to main") { $0.text.contains("paused at event") && $0.text.contains("[ ] fault") }
            try await terminal.press("[")
            try await terminal.press("[")
            try await terminal.press("[")
            try await terminal.wait(for: "There is no fault before this one.")
            try await terminal.press("<")
            try await terminal.wait(for: "the state before it") { $0.rows[0].contains("no faults") }
            try await terminal.press("Space")
            try await terminal.wait(for: "■ ended")
        }
    }
}

extension TerminalScreen {
    /// The number of events in the header of a live program.
    fileprivate var eventCount: Int? {
        let words = rows[0].replacing(",", with: "").split(separator: " ")
        return words.firstIndex(of: "ev").flatMap { words.indices.contains($0 - 1) ? Int(words[$0 - 1]) : nil }
    }

    /// The event at the cursor, and the number of events.
    fileprivate var position: (event: Int, count: Int)? {
        let words = text.replacing(",", with: "").split(separator: " ")
        guard let at = words.firstIndex(of: "event"), words.indices.contains(at + 3), words[at + 2] == "of",
            let event = Int(words[at + 1]), let count = Int(words[at + 3])
        else { return nil }
        return (event, count)
    }
}
