import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceTestKit

@testable import InspectorUI

/// `w` on a task that has ended: where its time went.
@Suite struct PathTests {
    /// Nine requests that wait 1 ms for the store, and one that waits behind `compact`.
    private static var server: (trace: TraceBuilder, slow: TaskID) {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let store = trace.executor("Store", .queue)
        var slow = TaskID.none
        for number in 0..<10 {
            trace.lane = 0
            let request = trace.create(.root, "request", on: pool, line: 10)
            trace.enqueue(request)
            trace.start(request)
            trace.advance(milliseconds: 1)
            let compact = trace.create(.root, "compact", on: store, file: "App/Store.swift", line: 40)
            let save = trace.create(.root, "save", on: store, line: 20)
            trace.lane = 1
            trace.enqueue(compact)
            trace.start(compact)
            trace.lane = 0
            trace.enqueue(save)
            trace.wait(request, forInner: save)
            trace.endJob(request)
            trace.advance(milliseconds: number == 5 ? 100 : 1)
            trace.lane = 1
            trace.complete(compact)
            trace.endJob(compact)
            trace.start(save)
            trace.advance(milliseconds: 2)
            trace.complete(save)
            trace.endJob(save)
            trace.lane = 0
            trace.complete(request)
            if number == 5 { slow = request }
        }
        return (trace, slow)
    }

    private func path(_ session: Session) -> PathScreen? {
        session.model.layers.overlays.lazy.compactMap { $0 as? PathScreen }.first
    }

    @Test("It names the largest segment, and compares it with the other tasks of the place", arguments: [(60, 16), (80, 24), (140, 40)])
    func shows(columns: Int, rows: Int) throws {
        let (trace, slow) = Self.server
        var session = Session(trace, columns: columns, rows: rows)
        session.follow(slow)
        session.press(.character("w"))
        // On a wide terminal, the sentence stands beside the path.
        let start =
            columns < FrameAreas.wideColumns ? 0 : 1 + FrameAreas.listColumns(of: Rect(column: 0, row: 0, columns: columns, rows: rows))
        let text = session.lines.map { $0.dropFirst(start) }.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(
            text.contains("103.0 ms, of which 100.0 ms in the queue of `Store` behind `compact` (Store.swift:40); the others wait there"))
        #expect(path(session)?.explanation?.segments?.map(\.nanoseconds) == [100_000_000, 2_000_000, 1_000_000])
    }

    @Test("In ASCII it has only ASCII characters")
    func ascii() {
        let (trace, slow) = Self.server
        var session = Session(trace, columns: 120, rows: 30, glyphs: .ascii)
        session.follow(slow)
        session.press(.character("w"))
        #expect(path(session) != nil)
        #expect(session.lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test("Enter goes to the segment's task, and Escape back")
    func enter() throws {
        let (trace, slow) = Self.server
        var session = Session(trace)
        session.follow(slow)
        session.press(.character("w"), .enter)
        let save = try #require(path(session)?.explanation?.segments?.first?.task)
        #expect(save != slow)
        #expect(session.model.detail?.task == save)
        session.press(.escape)
        #expect(path(session)?.task == slow)
        session.press(.escape)
        #expect(path(session) == nil)
    }

    @Test("Where records were lost it says so")
    func losses() {
        var trace = TraceBuilder()
        let task = trace.root("request")
        trace.advance(milliseconds: 3)
        trace.lose(7)
        trace.complete(task)
        var session = Session(trace, columns: 100)
        session.follow(task)
        session.press(.character("w"))
        #expect(session.lines.contains { $0.contains("3.0 ms; where its time went is unknown: 7 records were lost.") })
        session.press(.enter)
        #expect(session.model.detail == nil)
    }
}
