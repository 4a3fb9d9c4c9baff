import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The cancellations, which c in Faults shows, and their paths.
@Suite struct CancellationsTests {
    /// A task that a server cancels, with a child that looks and one that does not.
    private static func cancelled(deafFor milliseconds: UInt64 = 200) -> TraceBuilder {
        var trace = TraceBuilder()
        let server = trace.create(.unstructured, "serve")
        let request = trace.create(.unstructured, "request", line: 20)
        let child = { (name: String, trace: inout TraceBuilder) in
            let task = trace.reserveTask()
            let label = trace.label(name, line: 30)
            trace.emit(TaskEvent(.created, task: task, other: request.rawValue, label: label, detail: TaskKind.groupChild.rawValue))
            trace.lane = UInt16(task.rawValue)
            trace.start(task, .slice)
            return task
        }
        for task in [server, request] {
            trace.lane = UInt16(task.rawValue)
            trace.start(task, .slice)
        }
        let (heeding, deaf) = (child("heeding", &trace), child("deaf", &trace))
        // The request waits for its children from here on.
        trace.lane = UInt16(request.rawValue)
        trace.suspend(request, .group)
        trace.lane = UInt16(server.rawValue)
        trace.advance(milliseconds: 12)
        let call = trace.label("", line: 40)
        trace.emit(
            TaskEvent(
                .cancellationAsked, task: request, other: server.rawValue, label: call, detail: CancellationRequest.called.rawValue))
        for task in [heeding, deaf] {
            trace.emit(
                TaskEvent(.cancellationAsked, task: task, other: server.rawValue, detail: CancellationRequest.inherited.rawValue))
        }
        trace.advance(milliseconds: 3)
        trace.lane = UInt16(heeding.rawValue)
        trace.emit(TaskEvent(.cancellationSeen, task: heeding))
        trace.complete(heeding)
        trace.advance(milliseconds: milliseconds)
        trace.lane = UInt16(deaf.rawValue)
        trace.complete(deaf)
        trace.resume(request)
        trace.complete(request)
        trace.lane = UInt16(server.rawValue)
        trace.complete(server)
        return trace
    }

    @Test("The detail of a task tells whether the request to cancel it came before its end", arguments: [false, true])
    func requestInDetail(isLate: Bool) {
        var trace = TraceBuilder()
        let (main, task) = (trace.create(.main, "main"), trace.create(.unstructured, "deliver"))
        trace.start(task, .slice)
        trace.advance(milliseconds: 1)
        if isLate { trace.complete(task) }
        trace.advance(milliseconds: 1)
        trace.emit(TaskEvent(.cancellationAsked, task: task, other: main.rawValue))
        if !isLate { trace.complete(task) }
        var session = Session(trace, columns: 100, rows: 36)
        session.select(task)
        session.press(.enter)
        let words = isLate ? "after it had ended, by main" : "before it ended, by main"
        #expect(session.lines.contains { $0.contains("cancelled    \(words)") }, "\(session.lines)")
    }

    @Test("c shows the cancellations, n and p walk the path of one, and Esc goes back", arguments: [(80, 24), (160, 45)])
    func cancellations(columns: Int, rows: Int) {
        var session = Session(Self.cancelled(), columns: columns, rows: rows, screen: FaultsScreen.name)
        session.press(.character("c"))
        let text = { session.lines.joined(separator: "\n") }
        #expect(text().contains("request: `serve` asked for it at App/main.swift"), "\(text())")
        #expect(session.lines.last?.contains("walk the path") == true && !text().contains("walk the error"), "\(text())")
        session.press(.character("n"), .character("n"))
        #expect(session.selectedName() == "heeding")
        #expect(text().contains("step 2 of 3") && text().contains("heeding looked 3.0 ms later, and ended after 3.0 ms."), "\(text())")
        session.press(.character("n"))
        #expect(session.selectedName() == "deaf" && text().contains("went on for 203.0 ms without a look"), "\(text())")
        session.press(.character("n"))
        #expect(text().contains("This is the last of the path's 3 steps."), "\(text())")
        session.press(.character("p"))
        #expect(session.selectedName() == "heeding")
        session.press(.escape)
        #expect(text().contains("request: `serve` asked for it") && !text().contains("step 2 of 3"), "\(text())")
        session.press(.escape)
        #expect(text().contains("No error so far") || text().contains("No task failed"), "\(text())")
    }

    @Test("A task that ran on without a look stands out only if late-cancel found it", arguments: [50, 200])
    func deaf(milliseconds: UInt64) throws {
        var session = Session(Self.cancelled(deafFor: milliseconds), columns: 160, rows: 45, screen: FaultsScreen.name)
        session.press(.character("c"))
        let canvas = session.canvas
        func role(of task: String) throws -> Role {
            let row = try #require(session.lines.firstIndex { $0.contains(" \(task)  from ") || $0.contains("1 ✓ \(task) ") }) + 1
            let line = session.lines[row]
            let words = try #require(line.firstRange(of: "went on for"), "\(session.lines)")
            return canvas[Point(column: line.distance(from: line.startIndex, to: words.lowerBound), row: row)].style.role
        }
        #expect(try role(of: "deaf") == (milliseconds == 200 ? .warning : .dim))
        // It waits for its children.
        #expect(try role(of: "request") == .dim)
    }

    @Test("The tasks are found by one pass, and then by the events that come")
    func follows() {
        var trace = Self.cancelled()
        let history = TraceHistory()
        history.latest.entries = trace.entries
        var taken = 0
        func take() {
            history.apply(TraceBatch(events: Array(trace.events[taken...]), lanes: Array(trace.lanes[taken...])))
            taken = trace.events.count
        }
        take()
        var tasks = CancelledTasks()
        tasks.bringUpToDate(history)
        #expect(tasks.ids.count == 3 && tasks.scanCount == 1)
        let late = trace.create(.unstructured, "late")
        trace.emit(TaskEvent(.cancellationAsked, task: late, detail: CancellationRequest.called.rawValue))
        trace.emit(TaskEvent(.cancellationAsked, task: late, detail: CancellationRequest.called.rawValue))
        take()
        tasks.bringUpToDate(history)
        #expect(tasks.ids.count == 4 && tasks.ids.last == late && tasks.scanCount == 1)
        history.seek(to: 5)
        tasks.bringUpToDate(history)
        #expect(tasks.scanCount == 2 && tasks.ids.isEmpty)
    }

    @Test("A task whose look is recorded before the request that reached it has no negative delay", arguments: [(80, 24), (160, 45)])
    func earlyLook(columns: Int, rows: Int) {
        var trace = TraceBuilder()
        let request = trace.create(.unstructured, "request", line: 20)
        let child = trace.reserveTask()
        let label = trace.label("child", line: 30)
        trace.emit(TaskEvent(.created, task: child, other: request.rawValue, label: label, detail: TaskKind.groupChild.rawValue))
        for task in [request, child] { trace.start(task, .slice) }
        trace.emit(TaskEvent(.cancellationSeen, task: child))
        trace.advance(milliseconds: 5)
        trace.emit(TaskEvent(.cancellationAsked, task: request, detail: CancellationRequest.called.rawValue))
        trace.emit(TaskEvent(.cancellationAsked, task: child, detail: CancellationRequest.inherited.rawValue))
        for task in [child, request] { trace.complete(task) }
        var session = Session(trace, columns: columns, rows: rows, screen: FaultsScreen.name)
        session.press(.character("c"))
        #expect(session.lines.contains { $0.contains("child  from request") && $0.contains("+0") }, "\(session.lines)")
    }
}
