import TaskEvents
import TerminalCanvas
import Testing
import TraceLayout
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// The timeline's view, its map, and the mouse.
@Suite struct TimelineTests {
    private static func session(rows: Int = 24) -> Session {
        Session(SampleTraces.hops, columns: 100, rows: rows, screen: TimelineScreen.name)
    }

    @Test func aDragOnTheRulerZooms() throws {
        var session = Self.session()
        let screen = session.model.swimlanes
        let scale = try #require(screen.picture?.scale)
        let ruler = screen.areas.ruler
        session.drag(from: Point(column: ruler.left + 30, row: ruler.top), to: Point(column: ruler.left + 9, row: ruler.top + 3))
        let (start, end) = (scale.time(of: 9), scale.time(of: 31))
        #expect(session.model.swimlanes.view == .fixed(start: start, span: end - start))
        #expect(session.model.history.isAtLatest)
    }

    @Test func aDragOfTheLanesPans() throws {
        var session = Self.session()
        session.press(.character("+"), .character("+"))
        let scale = try #require(session.model.swimlanes.picture?.scale)
        let area = session.model.swimlanes.pane.area
        let start = Point(column: area.left + 40, row: area.top)
        session.drag(from: start, to: start.moved(columns: 10))
        let moved = try #require(session.model.swimlanes.picture?.scale)
        #expect(moved.span == scale.span)
        #expect(moved.start == scale.start - UInt64(10 / Double(scale.columns) * Double(scale.span)))
        // The view goes back with the mouse.
        session.drag(from: start, to: start.moved(columns: -10))
        #expect(session.model.swimlanes.picture?.scale.start.distance(to: scale.start).magnitude ?? 9 <= 1)
    }

    @Test func theMapMovesTheWindow() throws {
        var session = Self.session()
        let whole = try #require(session.model.swimlanes.picture?.scale)
        let map = session.model.swimlanes.areas.map
        session.click(map.left + map.columns / 2, map.top)
        let scale = try #require(session.model.swimlanes.picture?.scale)
        #expect(scale.span == whole.span / 8)
        #expect(abs(Double(scale.start + scale.span / 2) / Double(whole.span) - 0.5) < 0.02)
        session.drag(from: Point(column: map.left, row: map.top), to: Point(column: map.left - 5, row: map.top))
        #expect(session.model.swimlanes.picture?.scale.start == 0)
    }

    @Test func upAndDownSkipTheLinesOfQueues() {
        var session = Self.session()
        let lanes = session.model.swimlanes.index.rows
        #expect(lanes.contains { $0.isQueue })
        var seen: [Int] = []
        for _ in lanes {
            session.press(.down)
            if let row = session.model.swimlanes.row, row != seen.last { seen.append(row) }
        }
        #expect(seen == lanes.indices.filter { !lanes[$0].isQueue })
        session.press(.home)
        #expect(session.model.swimlanes.row == 0)
    }

    @Test func marksTellHowManyLanesAreBelow() throws {
        var trace = TraceBuilder()
        for number in 0..<50 { trace.run(trace.root("job", on: trace.executor("actor \(number)", .actor)), milliseconds: 1) }
        var session = Session(trace, screen: TimelineScreen.name)
        let height = session.model.swimlanes.pane.area.rows
        #expect(session.lines.contains { $0.contains("▼ \(50 - height) more") })
        session.press(.end)
        #expect(session.lines.contains { $0.contains("▲ \(50 - height) more") })
        #expect(!session.lines.contains { $0.contains("▼") })
    }

    @Test func aTaskThatAnotherScreenSelectsHasItsJobSelected() throws {
        var session = Session(SampleTraces.hops, columns: 100)
        session.press(.down, .down)
        let task = try #require(session.model.shared.selection)
        session.press(.character("4"))
        #expect(session.model.swimlanes.job?.task == task)
    }

    @Test("Few lanes use the room until a task is selected, whose detail then stands below them")
    func room() throws {
        var trace = TraceBuilder()
        let task = trace.root("save", on: trace.executor("net", .queue))
        trace.run(task, milliseconds: 5)
        var session = Session(trace, columns: 160, rows: 50, screen: TimelineScreen.name)
        #expect(session.model.shared.selection == nil && session.model.layers.besideAreas(session.model.shared) == nil)
        #expect(session.model.swimlanes.pane.rowHeight == 9)
        session.follow(task)
        #expect(session.model.layers.besideAreas(session.model.shared) != nil)
        #expect(session.lines.contains { $0.contains("Times") }, "\(session.lines)")
    }
}
