import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The loop with a terminal, a source and a clock that the test controls.
@Suite struct InspectorTests {
    private final class Source: TraceSource {
        var batches: [TraceBatch] = []
        var now: UInt64 = 0
        var hasEnded = false

        func take() -> [TraceBatch] {
            defer { batches = [] }
            return batches
        }
    }

    private final class Clock {
        var now: UInt64 = 1_000_000_000
    }

    private let terminal = ScriptedTerminal(size: Size(columns: 80, rows: 24))
    private let source = Source()
    private let clock = Clock()
    private let inspector: InspectorSession

    init() {
        let history = TraceHistory()
        history.latest.entries = SampleTraces.kinesis.entries
        inspector = InspectorSession(terminal: terminal, source: source, history: history, program: "demo") { [clock] in clock.now }
    }

    private func pass(milliseconds: UInt64) -> Bool {
        clock.now += milliseconds * 1_000_000
        return inspector.turn()
    }

    private func batch(_ trace: TraceBuilder) -> TraceBatch {
        TraceBatch(events: trace.events, lanes: trace.lanes)
    }

    @Test func theFirstFrameIsDrawnAtOnceAndLaterFramesOnlyAfterChanges() {
        #expect(pass(milliseconds: 0))
        #expect(terminal.frames == 1)
        #expect(pass(milliseconds: 10))
        #expect(terminal.frames == 1)
        #expect(pass(milliseconds: 40))
        #expect(terminal.frames == 1, "nothing has happened yet")
        #expect(pass(milliseconds: 60))
        #expect(terminal.frames == 2, "durations grow")
        source.hasEnded = true
        _ = pass(milliseconds: 100)
        let frames = terminal.frames
        for _ in 0..<10 { _ = pass(milliseconds: 200) }
        #expect(terminal.frames == frames, "nothing grows after the end")
        #expect(terminal.shown?.lines()[0].contains("ended") == true)
    }

    @Test func framesKeepTheirMinimumInterval() {
        _ = pass(milliseconds: 0)
        for _ in 0..<100 {
            terminal.inputs.append(.key(.down))
            _ = pass(milliseconds: 10)
        }
        #expect(terminal.frames <= 1 + 1000 / 33)
        #expect(terminal.frames >= 20)
    }

    @Test func eventsReachTheScreen() {
        source.batches = [batch(SampleTraces.kinesis)]
        terminal.inputs.append(.key(TasksScreen.name.key))
        _ = pass(milliseconds: 0)
        #expect(terminal.shown?.lines()[0].contains("13 tasks") == true)
        #expect(terminal.shown?.lines().contains { $0.contains("saveInSequence") } == true)
    }

    @Test func aBatchLongerThanABudgetIsFoldedInPortions() {
        source.batches = [batch(SampleTraces.load(30_000))]
        source.hasEnded = true
        var turns = 0
        while !inspector.model.shared.program.hasEnded {
            _ = pass(milliseconds: 34)
            turns += 1
            #expect(turns < 100)
        }
        #expect(inspector.model.store.taskCount == 30_000)
        #expect(inspector.model.store.eventCount == 60_001)
    }

    @Test("While events come faster than they are folded, the header tells how far the shown state is behind")
    func behind() {
        let trace = SampleTraces.load(30_000)
        let history = TraceHistory()
        history.latest.entries = trace.entries
        // Each look at the clock takes longer than the time for folding.
        let session = InspectorSession(terminal: terminal, source: source, history: history, program: "demo") { [clock] in
            clock.now += 40_000_000
            return clock.now
        }
        source.batches = [batch(trace)]
        source.now = trace.now + 5_000_000_000
        #expect(session.turn())
        #expect(terminal.shown?.lines()[0].contains("live, 5.") == true, "\(terminal.shown?.lines()[0] ?? "")")
        while session.model.store.eventCount < trace.events.count { _ = session.turn() }
        _ = session.turn()
        #expect(terminal.shown?.lines()[0].contains("live  ") == true, "\(terminal.shown?.lines()[0] ?? "")")
    }

    @Test func quittingEndsTheLoop() {
        terminal.inputs = [.key(.character("2")), .key(.character("q")), .key(.character("1"))]
        #expect(!pass(milliseconds: 0))
        #expect(terminal.inputs.count == 1, "what is typed after it is not read")
        #expect(inspector.model.screen == GraphScreen.name)
        #expect(!terminal.isClosed)
    }

    @Test("Control-C is handled before 20,000 characters that were typed into a filter")
    func interruptBehindManyKeys() {
        terminal.inputs = [.key(.character("/"))] + Array(repeating: .key(.character("x")), count: 20_000) + [.interrupt]
        var turns = 0
        while pass(milliseconds: 1), turns < 100 { turns += 1 }
        #expect(turns <= 2)
        #expect(inspector.endingSignal == TerminalInput.interruptSignal)
    }

    @Test("20,000 characters that were typed into a filter are handled in bounded steps, and then q ends the loop")
    func quittingBehindManyKeys() {
        let typed: [TerminalInput] = Array(repeating: .key(.character("x")), count: 20_000)
        terminal.inputs = [.key(.character("1")), .key(.character("/"))] + typed + [.key(.enter), .key(.character("q"))]
        var turns = 1
        while pass(milliseconds: 1), turns < 1_000 { turns += 1 }
        #expect(turns == (20_004 + InspectorSession.inputPortion - 1) / InspectorSession.inputPortion)
        #expect(inspector.model.tasks.filterText.count == String.typedLimit)
    }

    @Test func aSignalEndsTheLoop() {
        terminal.inputs = [.terminate(signal: 15)]
        #expect(!pass(milliseconds: 0))
    }

    @Test func aNewSizeIsDrawn() {
        _ = pass(milliseconds: 0)
        terminal.inputs = [.resize(Size(columns: 100, rows: 30))]
        _ = pass(milliseconds: 40)
        #expect(terminal.shown?.size == Size(columns: 100, rows: 30))
    }
}
