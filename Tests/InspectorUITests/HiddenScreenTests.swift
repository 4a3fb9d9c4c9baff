import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceLayout
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// A screen that is not shown does no work, and catches up when it is shown.
@Suite struct HiddenScreenTests {
    private func trace(_ count: Int) -> TraceBuilder {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        for number in 0..<count {
            let task = trace.root("task \(number)", on: pool)
            if number % 10 == 3 { trace.fault(task, type: "Refused") } else { trace.run(task) }
        }
        return trace
    }

    @Test func onlyTheShownScreenReadsTheTrace() {
        let session = Session(trace(200))
        #expect(session.model.tasks.list.count == 200)
        #expect(session.model.graph.rails.rails.count == 0)
        #expect(session.model.faults.path == nil)
        #expect(session.model.hops.matrix.cells.isEmpty)
        #expect(session.model.swimlanes.picture == nil)
    }

    /// More tasks than a frame places in rows, and more events than a frame follows.
    @Test(arguments: [10, 12_000]) func aShownScreenCatchesUpWithTheMissedEvents(count: Int) {
        let all = trace(100 + count)
        let before = trace(100).events.count
        var hidden = Session(trace(100))
        let entries = all.entries
        hidden.press(GraphScreen.name.key, FaultsScreen.name.key, TasksScreen.name.key)
        var shown = Session(trace(100))
        shown.press(GraphScreen.name.key)
        for session in [hidden, shown] { session.model.history.latest.entries = entries }
        hidden.apply(all.events[before...])
        shown.apply(all.events[before...])
        hidden.press(GraphScreen.name.key)
        #expect(hidden.model.graph.rails.rails.count == 100 + count)
        #expect(hidden.lines == shown.lines)
        for name in [FaultsScreen.name, GraphScreen.name] {
            hidden.press(name.key)
            shown.press(name.key)
            #expect(hidden.lines == shown.lines, "\(name.title)")
        }
        #expect(hidden.model.shared.faults.count == (100 + count) / 10)
    }

    /// If the cursor moves while the graph is hidden, the graph shows the state at the cursor.
    @Test func aShownScreenFollowsTheTimeCursor() {
        var session = Session(trace(100))
        session.press(GraphScreen.name.key, TasksScreen.name.key)
        session.send(.look(at: 20))
        session.frame()
        session.press(GraphScreen.name.key)
        #expect(session.model.graph.rails.rails.count == session.model.store.keptCount)
        session.press(TasksScreen.name.key, .end, GraphScreen.name.key)
        #expect(session.model.graph.rails.rails.count == 100)
    }

    /// A graph that is shown again after the trace has dropped all that it showed keeps none of it. It lists the tasks anew in portions.
    @Test func aShownGraphForgetsDroppedTasks() {
        let kept = 20_000
        var limits = TraceHistory.Limits()
        limits.liveEvents = 2 * kept
        let history = TraceHistory(TraceStore(retention: Retention(endedTasks: kept)), limits: limits)
        var window = RailsWindow()
        window.layOut(in: Rect(column: 0, row: 0, columns: 80, rows: 20))
        var last: UInt64 = 0
        for visit in 0..<3 {
            for _ in 0..<4 {
                let events = (0..<kept / 2).flatMap { _ in
                    last += 1
                    let task = TaskID(rawValue: last)
                    let created = TaskEvent(.created, task: task, at: last * 10, detail: TaskKind.root.rawValue)
                    return [created, TaskEvent(.completed, task: task, at: last * 10 + 1)]
                }
                history.apply(TraceBatch(events: events, lanes: Array(repeating: 0, count: events.count)))
            }
            for frame in 0..<8 {
                let read = history.store.readCount
                window.catchUp(with: history)
                #expect(history.store.readCount - read <= 100, "visit \(visit), frame \(frame): all tasks are listed in one frame")
                window.place(history.store)
                window.findRows(history.store, selection: nil)
                let gone = (0..<window.rails.count).count { history.store.row(of: window.rails.task(atRow: $0)) == nil }
                #expect(gone == 0, "visit \(visit), frame \(frame): \(gone) of \(window.rails.count) rows")
            }
            #expect(window.rails.count == history.store.keptCount)
        }
    }

    /// While tasks come faster than they are placed, few wait. All have rows in the end.
    @Test func aShownGraphListsNoMoreThanItPlaces() {
        let history = TraceHistory(TraceStore(retention: Retention(endedTasks: 1 << 20)))
        var window = RailsWindow()
        window.layOut(in: Rect(column: 0, row: 0, columns: 80, rows: 20))
        func frame() {
            window.catchUp(with: history)
            window.place(history.store)
            window.findRows(history.store, selection: nil)
        }
        var last: UInt64 = 0
        for _ in 0..<3 {
            let events = (0..<25_000).flatMap { _ in
                last += 1
                let task = TaskID(rawValue: last)
                let created = TaskEvent(.created, task: task, at: last * 10, detail: TaskKind.root.rawValue)
                return [created, TaskEvent(.completed, task: task, at: last * 10 + 1)]
            }
            history.apply(TraceBatch(events: events, lanes: Array(repeating: 0, count: events.count)))
            frame()
            #expect(window.waitingCount <= RailsWindow.eventsPerFrame)
        }
        while !window.isUpToDate(history) { frame() }
        #expect(window.rails.count == Int(last))
    }
}
