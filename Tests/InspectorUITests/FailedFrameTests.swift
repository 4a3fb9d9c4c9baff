import InspectorTestKit
import TerminalCanvas
import Testing

@testable import InspectorUI

/// The picture after a fault of the inspector.
@Suite struct FailedFrameTests {
    private let failed = FailedFrame(screen: "Tasks", trace: "hopscope+0x12ab hopscope+0x34cd (SIGILL)")

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 20, rows: 5), Size(columns: 1, rows: 1)])
    func itSaysWhatFailedAndHowToReportIt(size: Size) {
        let terminal = ScriptedTerminal(size: size, inputs: [.key(.character("x")), .resize(size), .key(.character("q")), .interrupt])
        failed.show(on: terminal)
        #expect(terminal.inputs == [.interrupt] && terminal.frames == 3)
        guard size.columns == 80, let lines = terminal.shown?.lines() else { return }
        #expect(lines[0].contains("The screen Tasks failed"))
        #expect(lines.contains { $0.contains("Please report it") } && lines.contains { $0.contains("hopscope+0x12ab") })
        #expect(lines.contains { $0.contains("q closes the inspector.") })
    }

    @Test func aTerminalThatGoesClosesIt() {
        let terminal = ScriptedTerminal(size: Size(columns: 80, rows: 24), inputs: [.hangUp])
        failed.show(on: terminal)
        #expect(terminal.frames == 1)
    }
}
