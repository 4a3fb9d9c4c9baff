import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// A screen that has no layout yet, or no room.
@Suite struct UnlaidScreenTests {
    private static func screens(_ session: Session) -> [any Layer] {
        let task: TaskID = session.model.store.rows.first { _ in true }.map { session.model.store[$0].id } ?? .none
        return ScreenList.standard.makeScreens() + [
            DetailScreen(task: task), WaitScreen(of: .task(task), isChosen: true), PaletteScreen(""), HelpScreen([]), SearchScreen(),
        ]
    }

    private static let traces = [TraceBuilder(), SampleTraces.kinesis, SampleTraces.faults]

    @Test(
        "A screen without a layout, or without room, takes keys, the mouse and new data, and can be drawn", arguments: traces.indices,
        [false, true])
    func unlaid(trace: Int, isAtMoment: Bool) {
        var session = Session(Self.traces[trace])
        if isAtMoment { session.press(.character(" "), .character(",")) }
        var shared = session.model.shared
        for screen in Self.screens(session) {
            var screen = screen
            var canvas = Canvas(size: Size(columns: 80, rows: 24))
            screen.draw(shared, on: &canvas)
            screen.show(&shared)
            for movement in [Movement.up, .down, .left, .right, .pageUp, .pageDown, .first, .last] { _ = screen.move(movement, &shared) }
            _ = screen.click(Point(column: 3, row: 3), &shared)
            screen.drag(to: Point(column: 9, row: 9), &shared)
            screen.scroll(by: 3, at: Point(column: 3, row: 3), &shared)
            screen.refresh(&shared, at: 1)
            screen.draw(shared, on: &canvas)
            screen.layOut(in: Rect(column: 0, row: 2, columns: 0, rows: 0), shared)
            screen.refresh(&shared, at: 2)
            screen.draw(shared, on: &canvas)
            for room in [Size(columns: 1, rows: 1), Size(columns: 3, rows: 2), Size(columns: 300, rows: 1), Size(columns: 2, rows: 90)] {
                screen.layOut(in: Rect(origin: Point(column: 0, row: 0), size: room), shared)
                _ = screen.move(.down, &shared)
                screen.refresh(&shared, at: 3)
                screen.draw(shared, on: &canvas)
            }
            // With room again, it is as ever.
            canvas.clear()
            let blank = canvas
            screen.layOut(in: Rect(column: 0, row: 2, columns: 80, rows: 20), shared)
            screen.refresh(&shared, at: 4)
            screen.draw(shared, on: &canvas)
            #expect(!canvas.changes(from: blank).isEmpty, "\(type(of: screen).name.title)")
        }
    }
}
