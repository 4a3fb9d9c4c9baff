import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// A program without an event for seconds: the offer to look at it from outside, and what the look found.
@Suite struct StuckTests {
    private final class Look: OutsideLook {
        var times: [String] = []
        var causes: [StuckCause]?

        /// For each look, whether it searches for holders.
        var looks: [Bool] = []
        var found: OutsideView?

        func begin(at time: UInt64, findsHolders: Bool) -> Bool {
            looks.append(findsHolders)
            return true
        }
        func take() -> OutsideView? {
            defer { found = nil }
            return found
        }
        func beginStuckSearch(after time: String) { times.append(time) }
        func takeStuckSearch() -> [StuckCause]? {
            defer { causes = nil }
            return causes
        }
    }

    private final class Source: TraceSource {
        var batches: [TraceBatch]
        var now: UInt64 = 1_000_000_000
        var hasEnded = false
        let look: Look?
        var outside: (any OutsideLook)? { look }

        init(_ trace: TraceBuilder, look: Look?) {
            batches = [TraceBatch(events: trace.events, lanes: trace.lanes)]
            self.look = look
        }

        func take() -> [TraceBatch] {
            defer { batches = [] }
            return batches
        }
    }

    private final class Clock {
        var now: UInt64 = 1_000_000_000
    }

    private let terminal = ScriptedTerminal(size: Size(columns: 100, rows: 24))
    private let clock = Clock()

    private static var main: TraceBuilder {
        var trace = TraceBuilder()
        _ = trace.create(.root, "main")
        return trace
    }

    private func inspector(_ trace: TraceBuilder = Self.main, look: Look?) -> (InspectorSession, Source) {
        let source = Source(trace, look: look)
        let history = TraceHistory()
        history.latest.entries = trace.entries
        let session = InspectorSession(terminal: terminal, source: source, history: history, program: "server") { [clock] in clock.now }
        return (session, source)
    }

    private func pass(_ session: InspectorSession, _ source: Source, seconds: UInt64 = 1, _ inputs: TerminalInput...) {
        terminal.inputs += inputs
        clock.now += seconds * 1_000_000_000
        source.now += seconds * 1_000_000_000
        _ = session.turn()
        clock.now += 1_000_000_000
        _ = session.turn()
    }

    private var text: String { terminal.shown?.lines().joined(separator: "\n") ?? "" }

    @Test("After five seconds without an event, W is offered; it shows the causes, and Enter looks again")
    func offered() {
        let look = Look()
        let (session, source) = inspector(look: look)
        pass(session, source, seconds: 3)
        #expect(!text.contains("Nothing for"))
        pass(session, source, seconds: 4)
        // The last event stays in sight.
        #expect(text.contains(/#1 00:00\.000  main .* Nothing for 8 s: W looks at what is stuck\./), "\(text)")
        pass(session, source, .key(.character("W")))
        #expect(text.contains("looking at its tasks, stacks and memory"))
        #expect(look.times == ["8.000 s"])
        look.causes = [StuckCause(sentence: "load() had not ended after 9.000 s: it reads.", evidence: ["thread 7 blocks in read"])]
        pass(session, source)
        #expect(text.contains("1 cause, seen from outside at 00:09"))
        #expect(text.contains("load() had not ended after 9.000 s: it reads.") && text.contains("thread 7 blocks in read"))
        pass(session, source, .key(.enter))
        #expect(look.times == ["8.000 s", "10.000 s"])
        let cause = { (number: Int) in
            StuckCause(sentence: "mail() had not ended: it waits.", site: "Mail.swift:5", evidence: ["#\(number) mail(): waits"])
        }
        look.causes = [cause(3), cause(4), StuckCause(sentence: "load() had not ended: it reads.", evidence: [])]
        pass(session, source)
        #expect(text.contains("2x mail() had not ended") && text.contains("#3 mail()") && text.contains("#4 mail()"), "\(text)")
        #expect(text.firstRange(of: "mail() had not ended").map { !text[$0.upperBound...].contains("mail() had not ended") } == true)
        pass(session, source, .key(.escape))
        #expect(!text.contains("What is stuck"))
    }

    @Test("Without a process to look at, nothing is offered, and W says why")
    func recordings() {
        let (session, source) = inspector(look: nil)
        pass(session, source, seconds: 20)
        #expect(!text.contains("Nothing for"))
        pass(session, source, .key(.character("W")))
        #expect(text.contains("There is no running process to look at."))
    }

    @Test("w on a task that waits for a continuation has its memory searched once, and says what holds the continuation")
    func holder() throws {
        let look = Look()
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let task = trace.create(.unstructured, "load")
        trace.start(task, .dequeued)
        trace.suspend(task, .continuation)
        let (session, source) = inspector(trace, look: look)
        pass(session, source)
        #expect(!look.looks.contains(true))
        pass(session, source, .key(.character("w")))
        pass(session, source)
        #expect(text.contains("awaits a continuation that nothing has resumed"))
        #expect(look.looks.count { $0 } == 1)
        look.found = OutsideView(
            began: source.now, tasks: [:], threads: [:], holders: [task: "held by App.ResponsePool.waiters (Dictionary)"])
        pass(session, source)
        #expect(text.contains(/held by\s+App\.ResponsePool\.waiters\s+\(Dictionary\)/), "\(text)")
        // A later look without holders forgets none.
        look.found = OutsideView(began: source.now, tasks: [:], threads: [:])
        pass(session, source)
        #expect(text.contains("App.ResponsePool.waiters"))
        #expect(look.looks.count { $0 } == 1)
    }
}
