import InspectorTestKit
import TerminalCanvas
import Testing
import TraceStore
import TraceTransport

@testable import InspectorUI

/// The loop with a program that answers late or never.
@Suite struct AnsweringTests {
    private final class Source: TraceSource {
        let now: UInt64 = 0
        let hasEnded = false
        var holdsJobs = false
        func take() -> [TraceBatch] { [] }
    }

    /// Answers when the test says so.
    private final class Line: ControlLine {
        var asked: [Control] = []
        var answer: ControlAnswer?

        func send(_ control: Control) -> ControlAnswer? {
            asked.append(control)
            return nil
        }

        func takeAnswer() -> ControlAnswer? {
            defer { answer = nil }
            return answer
        }
    }

    private final class Clock {
        var now: UInt64 = 1_000_000_000
    }

    private let terminal = ScriptedTerminal(size: Size(columns: 100, rows: 24))
    private let line = Line()
    private let clock = Clock()
    private let source = Source()
    private let inspector: InspectorSession

    init() {
        inspector = InspectorSession(terminal: terminal, source: source, history: TraceHistory(), program: "demo", controls: line) {
            [clock] in clock.now
        }
    }

    /// Presses keys and draws a frame. The last line of it.
    @discardableResult
    private func press(_ keys: Key...) -> String {
        terminal.inputs += keys.map { .key($0) }
        clock.now += 40_000_000
        #expect(inspector.turn())
        return terminal.shown?.lines().last ?? ""
    }

    @Test func theFooterSaysThatTheInspectorWaits() {
        #expect(!press().contains("Waiting"))
        #expect(press(.character("b")).contains("Waiting for the program's answer…"))
        #expect(line.asked == [.hold(.all)])
        line.answer = .done("All executors are held.")
        #expect(press().contains("All executors are held."))
        #expect(inspector.model.shared.isHolding)
        #expect(!press(.escape).contains("Waiting"))
    }

    @Test("Between two held jobs, the program says that its gates are closed, so `b` opens them")
    func closedGatesWithoutAJob() {
        source.holdsJobs = true
        press()
        #expect(inspector.model.shared.isHolding)
        press(.character("b"))
        #expect(line.asked == [.open(.all)])
        // Another inspector opens them.
        source.holdsJobs = false
        press()
        #expect(!inspector.model.shared.isHolding)
    }

    @Test("Another inspector opens the gates that this one closed")
    func openedByAnother() {
        press(.character("b"))
        source.holdsJobs = true
        line.answer = .done("All executors are held.")
        press()
        #expect(inspector.model.shared.isHolding)
        source.holdsJobs = false
        press()
        #expect(!inspector.model.shared.isHolding)
    }

    @Test("A program that never answers delays no key and no frame, and is asked nothing more")
    func aProgramThatNeverAnswers() {
        press(.character("b"))
        for _ in 0..<100 { press(.character("i"), .down) }
        #expect(line.asked == [.hold(.all)])
        #expect(terminal.frames == 101)
        #expect(press(.character("b")).contains("The program has not answered the last command yet; it may be stopped."))
        #expect(press(.character("3")).contains("Waiting for the program's answer…"))
        #expect(inspector.model.screen == ExecutorsScreen.name)
        terminal.inputs = [.key(.character("q"))]
        #expect(!inspector.turn())
    }

    @Test func aRefusedCommandKeepsTheOneThatIsAwaited() {
        press(.character("b"))
        press(.character("b"))
        line.answer = .done("All executors are held.")
        press()
        #expect(inspector.model.shared.isHolding)
    }
}
