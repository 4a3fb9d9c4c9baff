import Testing

/// Keys from the first screen to the answer, in a real terminal of 80 columns and 24 rows: each key stands in the tabs or in the footer when
/// it is pressed.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AnswerTests {
    struct Question: Sendable, CustomTestStringConvertible {
        var text: String
        var demo: String
        var keys: [String]
        /// The text that the screen shows then.
        var answers: [String]

        var testDescription: String { text }
    }

    private static let questions = [
        Question(
            text: "Which error was lost", demo: "recipes-invisible-error", keys: ["Enter"],
            answers: ["unobserved", "#1 Task failed first."]),
        Question(
            text: "Which job makes main late", demo: "hop-storm", keys: ["6"],
            answers: ["bouncing → main 100 hops", "for draw(until:_:)"]),
        Question(
            text: "Which task waits for which", demo: "deadlock", keys: ["w"],
            answers: ["transfer from savings", "credit current, never", "none of these 4 can go on."]),
        Question(
            text: "What happened just before the fault", demo: "gini-valedictorian", keys: ["[", "[", "["],
            answers: ["forcedFailure created", "forcedFailure faulted: threw NSError"]),
    ]

    @Test("The first screen leads to the answer", arguments: questions)
    func leads(question: Question) async throws {
        try await TerminalSession.run("demo", question.demo, "--set", "main-stall=10s") { terminal in
            try await terminal.wait(for: "■ ended")
            for key in question.keys {
                // The terminal may have got a part of the frame only: the header comes before the footer.
                let screen = try await terminal.wait(for: "a screen that offers \(key)") { $0.offers(key) }
                try await terminal.press(key)
                try await terminal.wait(for: "the screen after \(key)") { $0.text != screen.text }
            }
            _ = try await terminal.wait(for: "\(question.answers)") { screen in
                let sentences = screen.sentences
                return question.answers.allSatisfy { sentences.contains($0) }
            }
            try await terminal.press("q")
            #expect(try await terminal.ended().status == "0")
        }
    }
}
