import InspectorTestKit
import TerminalCanvas
import Testing

struct ScriptedTerminalTests {
    @Test func aScriptedTerminalPlaysItsInputsAndKeepsTheLastFrame() {
        let wide = Size(columns: 20, rows: 2)
        let terminal = ScriptedTerminal(size: Size(columns: 4, rows: 1), inputs: [.key(.down), .resize(wide)])
        #expect(terminal.shown == nil)
        #expect(terminal.nextInput(timeoutMilliseconds: nil) == .key(.down))
        #expect(terminal.makeCanvas().size == Size(columns: 4, rows: 1))
        #expect(terminal.nextInput(timeoutMilliseconds: 5) == .resize(wide))
        #expect(terminal.nextInput(timeoutMilliseconds: 5) == .none)

        var canvas = terminal.makeCanvas()
        canvas.write("tasks", at: Point(column: 0, row: 1))
        terminal.draw(canvas)
        terminal.suspend()
        terminal.draw(Canvas(size: wide))
        #expect(terminal.shown?.lines() == ["", "tasks"])
        terminal.resume()
        terminal.close()
        terminal.draw(Canvas(size: wide))
        #expect(terminal.frames == 1)
        #expect(terminal.nextInput(timeoutMilliseconds: nil) == .hangUp)
    }
}
