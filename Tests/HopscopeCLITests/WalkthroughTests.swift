import Foundation
import Testing

/// The walkthrough is followed to the letter, in a real terminal: the keys that it names are pressed, each offered by the screen at that
/// moment, and what it quotes is read.
///
/// With `HOPSCOPE_RECORD=1` the screens in the document are replaced by those that were seen; the test then fails, so that somebody reads
/// them.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WalkthroughTests {
    private static let isRecording = ProcessInfo.processInfo.environment["HOPSCOPE_RECORD"] == "1"

    @Test("It answers the questions that it has to")
    func covers() throws {
        let chapters = try Walkthrough().chapters
        for scenario in ["gini-valedictorian", "main-stall", "hop-storm", "deadlock"] {
            let chapter = try #require(chapters.first { $0.arguments == ["demo", scenario] }, "\(scenario)")
            #expect(chapter.steps.contains { !$0.answers.isEmpty } && chapter.steps.contains { $0.screen != nil }, "\(scenario)")
        }
        #expect(chapters.allSatisfy { !$0.steps.isEmpty && $0.steps.allSatisfy { !$0.keys.isEmpty } })
    }

    @Test("Every key of it is offered, and every answer is on the screen", arguments: try Walkthrough().chapters)
    func follows(chapter: Walkthrough.Chapter) async throws {
        var seen: [Int: String] = [:]
        try await TerminalSession.run(arguments(chapter), columns: 100, rows: 30) { terminal in
            try await follow(chapter, in: terminal) { step, screen in
                guard let shown = step.screen else { return }
                seen[step.number] = screen.trimmed
                // On a busy machine some parts differ: another job is late as well.
                let words = TerminalScreen(text: shown.text).words
                let lost = words.subtracting(screen.words)
                #expect(
                    Self.isRecording || !words.isEmpty && lost.count * 4 <= words.count,
                    "The document's screen after step \(step.number) says \(lost.sorted()), the program’s:\n\(screen.text)")
            }
        }
        if Self.isRecording {
            var document = try Walkthrough()
            try document.replace(seen, in: chapter.title)
            Issue.record("The screens of “\(chapter.title)” were recorded. Look at them, then run the test again.")
        }
    }

    @Test("In 80 columns and 24 rows as well", arguments: try Walkthrough().chapters)
    func followsInAnOrdinaryTerminal(chapter: Walkthrough.Chapter) async throws {
        try await TerminalSession.run(arguments(chapter)) { terminal in
            try await follow(chapter, in: terminal) { _, _ in }
        }
    }

    /// As in the document, but that what a busy machine does to main is not what is asked about, unless it is.
    private func arguments(_ chapter: Walkthrough.Chapter) -> [String] {
        chapter.arguments + (chapter.arguments.contains("main-stall") ? [] : ["--set", "main-stall=10s"])
    }

    private func follow(
        _ chapter: Walkthrough.Chapter, in terminal: TerminalSession, _ look: (Walkthrough.Step, TerminalScreen) -> Void
    ) async throws {
        let isHeld = chapter.arguments.contains("--hold")
        var screen = try await terminal.wait(for: isHeld ? "◔ held" : "■ ended")
        for step in chapter.steps {
            for key in step.keys {
                #expect(screen.offers(key), "Step \(step.number): nothing on the screen offers \(key).\n\(screen.text)")
                try await terminal.press(key == "Esc" ? "Escape" : key)
            }
            screen = try await terminal.wait(for: "step \(step.number): \(step.answers)") { screen in
                let sentences = screen.sentences
                return step.answers.allSatisfy { sentences.contains($0.replacing("`", with: "")) }
            }
            look(step, screen)
        }
    }
}
