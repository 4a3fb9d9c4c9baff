import Foundation
import Testing
import TraceTestKit

/// The walkthrough, played in a real terminal: the test presses the keys that it names, checks that the screen offers each of them at that
/// moment, and looks for the text that it quotes.
///
/// With `HOPSCOPE_RECORD=1` the recorded screens replace those in the document; the test then fails, so that the author reads
/// them.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WalkthroughTests {
    private static let isRecording = ProcessInfo.processInfo.environment["HOPSCOPE_RECORD"] == "1"

    @Test("The walkthrough answers the required questions")
    func covers() throws {
        let chapters = try Walkthrough().chapters
        for scenario in ["gini-valedictorian", "main-stall", "hop-storm", "deadlock"] {
            let chapter = try #require(chapters.first { $0.arguments == ["demo", scenario] }, "\(scenario)")
            #expect(chapter.steps.contains { !$0.answers.isEmpty } && chapter.steps.contains { $0.screen != nil }, "\(scenario)")
        }
        #expect(chapters.allSatisfy { !$0.steps.isEmpty && $0.steps.allSatisfy { !$0.keys.isEmpty } })
    }

    @Test("The screen offers every key of the walkthrough and shows every quoted answer", arguments: try Walkthrough().chapters)
    func follows(chapter: Walkthrough.Chapter) async throws {
        var seen: [Int: String] = [:]
        let folder = try ScratchFolder()
        try await TerminalSession.run(try arguments(chapter, in: folder), program: "env", columns: 100, rows: 30) { terminal in
            try await follow(chapter, in: terminal) { step, screen in
                guard let shown = step.screen else { return }
                seen[step.number] = screen.trimmed
                // On a busy machine some parts differ, because another job is late as well.
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

    @Test("The keys and answers of the walkthrough also hold at 80 columns and 24 rows", arguments: try Walkthrough().chapters)
    func followsInAnOrdinaryTerminal(chapter: Walkthrough.Chapter) async throws {
        let folder = try ScratchFolder()
        try await TerminalSession.run(try arguments(chapter, in: folder), program: "env") { terminal in
            try await follow(chapter, in: terminal) { _, _ in }
        }
    }

    /// The chapter's command in a folder of its own, with the built program in the place of its name. In a chapter of another demo than `main-stall` the stalls
    /// of a busy machine are left out.
    private func arguments(_ chapter: Walkthrough.Chapter, in folder: ScratchFolder) throws -> [String] {
        let command = ["-C", folder.path, Hopscope.path]
        if chapter.arguments == ["run", "./photos"] { return command + ["run", try WatchedProgram.photos.path()] }
        if chapter.arguments.first == "explore" {
            let program = try WatchedProgram.orders.path()
            return command + chapter.arguments.map { $0 == "./orders" ? program : $0 }
        }
        return command + chapter.arguments + (chapter.arguments.contains("main-stall") ? [] : ["--set", "main-stall=10s"])
    }

    private func follow(
        _ chapter: Walkthrough.Chapter, in terminal: TerminalSession, _ look: (Walkthrough.Step, TerminalScreen) -> Void
    ) async throws {
        // A held program has made all its tasks before the first key moves the selection.
        let isHeld = chapter.arguments.contains("--hold")
        let isExplored = chapter.arguments.first == "explore"
        try await terminal.wait(for: isHeld ? " 5 tasks" : isExplored ? " Choice " : "■ ended")
        for step in chapter.steps {
            // The screen before may have come in part only.
            try await terminal.wait(for: "step \(step.number): a screen that offers \(step.keys)") { screen in
                step.keys.allSatisfy { screen.offers($0) }
            }
            for key in step.keys {
                try await terminal.press(key == "Esc" ? "Escape" : key)
                // The answers of a digit may also stand on the screen before it.
                if key.first?.isNumber == true { try await terminal.wait(for: "[\(key) ") }
            }
            let screen = try await terminal.wait(for: "step \(step.number): \(step.answers)") { screen in
                let sentences = screen.sentences
                return step.answers.allSatisfy { sentences.contains($0.replacing("`", with: "")) }
            }
            look(step, screen)
        }
    }
}
