import Foundation
import Testing

/// The theme `auto` asks the terminal for the colour of its ground.
@Suite(.timeLimit(.minutes(3)))
struct GroundTests {
    private static let recording = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Assets/versions/kinesis-save-fails.v2.hop").path

    /// The grounds of the themes `light` and `dark`.
    private static let light = "48;5;231"
    private static let dark = "48;5;233"

    @Test("The theme follows the terminal's answer", arguments: [("#ffffff", light), ("#fdf6e3", light), ("#002b36", dark)])
    func asks(ground: String, colours: String) async throws {
        try await TerminalSession.run("replay", Self.recording, ground: ground) { terminal in
            try await terminal.wait(for: "Needs attention")
            try await terminal.wait(forColours: colours)
        }
    }

    @Test("An answer that comes late changes the theme and is not typed text")
    func late() async throws {
        try await TerminalSession.run("replay", Self.recording) { terminal in
            try await terminal.wait(for: "Needs attention")
            try await terminal.wait(forColours: Self.dark)
            try await terminal.press("1", "/", "s")
            try await terminal.wait(for: "/s")
            // One answer ends in ESC \\, the other in BEL.
            for (answer, colours) in [("ffff/ffff/ffff\u{1B}\\", Self.light), ("0000/2b2b/3636\u{7}", Self.dark)] {
                try await terminal.send("\u{1B}]11;rgb:\(answer)\u{1B}[?62;1;6c")
                try await terminal.wait(forColours: colours)
            }
            try await terminal.press("a", "v")
            let screen = try await terminal.wait(for: "/sav")
            #expect(!screen.text.contains("/sav]") && !screen.text.contains("rgb") && !screen.text.contains("62;"))
            try await terminal.press("Escape", "q")
            #expect(try await terminal.ended().status == "0")
        }
    }

    @Test("A terminal that does not answer shows the inspector, which obeys its keys")
    func silent() async throws {
        let command = "TERM=xterm-256color COLORFGBG= '\(Hopscope.path)' replay '\(Self.recording)'"
        // `script` has a terminal that passes on keys and answers nothing.
        let ended = try await FinishedProcess.run(["sh", "-c", "printf q | script -qec \"\(command)\" /dev/null"])
        #expect(ended.status == 0)
        #expect(ended.output.contains("\u{1B}]11;?\u{1B}\\"))
    }
}
