import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// Keys from the first screen to an answer about a server, for a person who knows the tabs and the footer.
@Suite struct AnswerTests {
    /// Twenty actors that answer at once, and one that all calls wait for.
    private static var hotActor: TraceBuilder {
        var trace = TraceBuilder()
        let others = (1...20).map { trace.executor("Session\($0)", .actor) }
        let hot = trace.executor("Inventory", .actor)
        for other in others { trace.run(trace.root("read", on: other)) }
        let calls = (0..<30).map { _ in trace.root("reserve", on: hot, line: 12) }
        for call in calls { trace.enqueue(call) }
        for call in calls {
            trace.start(call)
            trace.advance(milliseconds: 10)
            trace.complete(call)
            trace.endJob(call)
        }
        return trace
    }

    /// Presses keys that the tabs or the footer offer.
    private func press(_ keys: [Character], _ session: inout Session) {
        for key in keys {
            let words = (session.lines[1] + " " + (session.lines.last ?? "")).split { " []".contains($0) }
            #expect(words.contains(Substring(String(key))), "Nothing offers \(key): \(session.lines)")
            session.press(.character(key))
        }
    }

    @Test("Which actor is the bottleneck: one key", arguments: [(80, 24), (200, 50)]) func bottleneck(columns: Int, rows: Int) {
        var session = Session(Self.hotActor, columns: columns, rows: rows, screen: OverviewScreen.name)
        #expect(session.lines.last?.contains("Enter") == true)
        session.press(.enter)
        let text = session.lines.joined(separator: " ")
        #expect(text.contains("Inventory  actor") && text.contains("30 jobs · busy 94 % · wait p50"), "\(session.lines)")
    }

    @Test("The executor that makes jobs wait longest stands first among the panels") func worstFirst() {
        let session = Session(Self.hotActor, screen: OverviewScreen.name)
        let panels = session.lines.drop { !$0.hasPrefix(" Executors") }.dropFirst()
        #expect(panels.first?.contains("Inventory") == true, "\(session.lines)")
    }

    @Test("Why a given request is stuck: two keys") func stuckRequest() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        for number in 1...12 { trace.run(trace.root("GET /items/\(number)", on: pool)) }
        let stuck = trace.root("GET /items/13", on: pool)
        let query = trace.continuation("query", of: stuck, on: pool)
        let source = trace.root("answer of the database", line: 77)
        trace.enqueue(stuck)
        trace.start(stuck)
        trace.advance(milliseconds: 1)
        trace.wait(stuck, forInner: source)
        trace.endJob(stuck)
        _ = query
        trace.advance(milliseconds: 900)
        trace.mark("now")
        var session = Session(trace, screen: OverviewScreen.name)
        press(["1", "w"], &session)
        let text = session.lines.joined(separator: " ")
        #expect(text.contains("GET /items/13") && text.contains("answer of the database"), "\(session.lines)")
    }
}
