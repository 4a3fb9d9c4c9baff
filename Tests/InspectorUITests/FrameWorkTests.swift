import TaskEvents
import TerminalCanvas
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The work of a frame, counted as tasks, links and executors that are read of the store, does not grow with the trace.
@Suite struct FrameWorkTests {
    /// The most reads of a frame for a trace that arrives in pieces of 500 events, on every screen in turn.
    private static func most(_ shape: CrowdedTrace.Shape, _ count: Int) -> (reads: Int, screen: String) {
        let trace = CrowdedTrace.trace(shape, count)
        let history = TraceHistory()
        history.latest.entries = trace.entries
        var model = Model(history: history, program: "shape", size: Size(columns: 200, rows: 50), glyphs: .unicode)
        var most = (reads: 0, screen: "")
        var time: UInt64 = 0
        func apply(_ range: Range<Int>) {
            history.apply(TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range])))
            _ = update(&model, .traced)
        }
        // The reads when the whole trace is already there, and while more of it comes.
        let rest = min(trace.events.count, CrowdedTrace.screens.count * 500)
        apply(0..<trace.events.count - rest)
        for (index, screen) in CrowdedTrace.screens.enumerated() {
            let first = trace.events.count - rest + index * rest / CrowdedTrace.screens.count
            apply(first..<trace.events.count - rest + (index + 1) * rest / CrowdedTrace.screens.count)
            _ = update(&model, .key(screen.key))
            for _ in 0..<8 {
                let before = history.latest.readCount
                time += 33_333_333
                _ = update(&model, .frame(at: time))
                var canvas = Canvas(size: model.size, glyphs: .unicode)
                Frame.draw(model, on: &canvas)
                if history.latest.readCount - before > most.reads { most = (history.latest.readCount - before, screen.name) }
            }
        }
        return most
    }

    @Test("A frame reads no more of a trace with many tasks than of one with fewer", arguments: CrowdedTrace.Shape.allCases)
    func isBounded(shape: CrowdedTrace.Shape) {
        // A join's inputs fill the Graph's portions only from about 40,000 on.
        let size = shape == .joinedFaults ? 45_000 : 15_000
        let few = Self.most(shape, size)
        let many = Self.most(shape, 2 * size)
        #expect(many.reads <= few.reads * 3 / 2 + 1024, "\(few.reads) on \(few.screen), \(many.reads) on \(many.screen)")
    }

    @Test("A letter of a search on Executors reads no more of many executors than of fewer", arguments: ["queue 1", "nowhere"])
    func searchIsBounded(text: String) {
        func most(_ count: Int) -> Int {
            let trace = CrowdedTrace.trace(.executors, count)
            let history = TraceHistory()
            history.latest.entries = trace.entries
            var model = Model(history: history, program: "shape", size: Size(columns: 200, rows: 50), glyphs: .unicode)
            var time: UInt64 = 0
            var most = 0
            func frame() {
                time += 33_333_333
                _ = update(&model, .frame(at: time))
            }
            history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
            _ = update(&model, .traced)
            for key in [Key.character("3"), .character("/")] { _ = update(&model, .key(key)) }
            for _ in 0..<64 { frame() }
            for character in text {
                let before = history.latest.readCount
                _ = update(&model, .key(.character(character)))
                frame()
                most = max(most, history.latest.readCount - before)
            }
            return most
        }
        #expect(most(40_000) <= most(10_000) + 1024)
    }
}
