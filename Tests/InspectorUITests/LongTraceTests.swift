import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The work of keys on a long trace, counted as events that are folded, events that the rules read, and tasks that are read.
@Suite struct LongTraceTests {
    private struct Work {
        var folded = 0
        var ruled = 0
        var reads = 0

        mutating func raise(to other: Work) {
            folded = max(folded, other.folded)
            ruled = max(ruled, other.ruled)
            reads = max(reads, other.reads)
        }
    }

    /// An inspector on a trace that has ended.
    private struct Ended {
        static let batch = 4096
        private(set) var model: Model
        /// The greatest number of tasks that a frame read at an earlier state.
        private(set) var mostPastReads = 0
        private var time: UInt64 = 0

        init(tasks: Int, keyframeInterval: Int = Self.batch, isReleased: Bool = false) {
            var trace = TraceBuilder()
            let pool = trace.executor("pool", .pool)
            for number in 0..<tasks {
                let task = trace.root("task", on: pool)
                // A rule looks at a released task 100 ms later, so the trace is many times as long.
                trace.advance(microseconds: isReleased ? 20 : 1)
                if number % 100 == 0 { trace.fault(task, type: "Refused", message: "no") } else { trace.complete(task) }
                if isReleased { trace.release(task) }
            }
            var limits = TraceHistory.Limits()
            limits.keyframeInterval = keyframeInterval
            let history = TraceHistory(limits: limits)
            history.latest.entries = trace.entries
            model = Model(history: history, program: "long", size: Size(columns: 120, rows: 36), glyphs: .unicode)
            for start in stride(from: 0, to: trace.events.count, by: Self.batch) {
                let range = start..<min(start + Self.batch, trace.events.count)
                history.apply(TraceBatch(events: Array(trace.events[range]), lanes: Array(trace.lanes[range])))
                _ = update(&model, .traced)
            }
            _ = update(&model, .ended)
            press("9")
            settle()
        }

        /// The screen's first line.
        var header: String {
            var canvas = Canvas(size: model.size, glyphs: .unicode)
            Frame.draw(model, on: &canvas)
            return canvas.lines()[0]
        }

        /// Does something, and returns its work.
        mutating func counted(_ body: (inout Model) -> Void) -> Work {
            let history = model.history
            let (folded, ruled, reads) = (history.foldedCount, model.shared.findings.seenCount, history.latest.readCount)
            let (store, pastReads) = (history.store, history.store.readCount)
            body(&model)
            let seen = model.shared.findings.seenCount
            if history.store === store, !history.isAtLatest { mostPastReads = max(mostPastReads, store.readCount - pastReads) }
            // The rules begin again after a step back.
            return Work(
                folded: history.foldedCount - folded, ruled: seen >= ruled ? seen - ruled : seen, reads: history.latest.readCount - reads)
        }

        @discardableResult
        mutating func press(_ key: Character) -> Work { press(.character(key)) }

        /// The work of a key and of the frame that shows its effect.
        @discardableResult
        mutating func press(_ key: Key) -> Work {
            var work = counted { _ = update(&$0, .key(key)) }
            work.raise(to: frame())
            return work
        }

        mutating func frame() -> Work {
            time += InspectorSession.framePeriod
            let time = time
            return counted {
                _ = update(&$0, .frame(at: time))
                var canvas = Canvas(size: $0.size, glyphs: .unicode)
                Frame.draw($0, on: &canvas)
            }
        }

        /// The greatest work of the frames until nothing changes any more.
        @discardableResult
        mutating func settle() -> Work {
            var most = frame()
            while model.isArranging { most.raise(to: frame()) }
            return most
        }
    }

    private static let keys: [Key] = [
        .up, .character(","), .pageUp, .character("["), .home, .down, .pageDown, .character("."), .character("]"), .end, .character(","),
    ]

    @Test("No frame folds more events than lie between two keyframes, and in none the rules read more than their portion")
    func aFrameIsBounded() {
        var inspector = Ended(tasks: 45_000)
        for key in Self.keys {
            var most = inspector.press(key)
            most.raise(to: inspector.settle())
            #expect(most.folded <= 2 * Ended.batch, "\(key)")
            #expect(most.ruled <= Findings.portion, "\(key)")
        }
        #expect(inspector.model.shared.findings.list != nil)
    }

    @Test("Far from a keyframe, the way to an event takes several frames of bounded work, and the header names the goal")
    func aFarGoalTakesSeveralFrames() {
        var inspector = Ended(tasks: 100_000, keyframeInterval: 1 << 24)
        let (count, portion) = (inspector.model.history.eventCount, 1 << 17)
        #expect(count > portion)
        var most = inspector.counted { _ = update(&$0, .key(.character(","))) }
        // Events moves the time cursor in the next frame.
        if inspector.model.history.goal == nil { most.raise(to: inspector.frame()) }
        #expect(inspector.model.history.goal == count - 1)
        #expect(inspector.header.contains("on the way to event 199,999, at 131,072"), "\(inspector.header)")
        most.raise(to: inspector.settle())
        #expect(most.folded <= portion)
        #expect(inspector.model.history.goal == nil && inspector.model.history.position == count - 1)
        // Stepping on from there is no long way again.
        #expect(inspector.press(",").folded <= 2 * 8192)
        #expect(inspector.model.history.position == count - 2)
    }

    @Test("A chain's next event far away is searched in portions; another key ends the search")
    func aFarStepIsSearchedInPortions() {
        var inspector = Ended(tasks: 140_000)
        inspector.settle()
        inspector.press(.home)
        inspector.settle()
        let (history, portion) = (inspector.model.history, SharedState.searchPortion)
        #expect(history.position == 1)
        // The first task's events are 1 and 2.
        inspector.press(">")
        inspector.settle()
        #expect(history.position == 2)
        let before = history.searchedCount
        _ = inspector.counted { _ = update(&$0, .key(.character(">"))) }
        #expect(inspector.model.isArranging)
        #expect((portion - 8192...portion + 8192).contains(history.searchedCount - before))
        let count = CountText.text(3 + history.searchedCount - before)
        #expect(inspector.header.contains("looking for that event, at \(count)"), "\(inspector.header)")
        inspector.settle()
        #expect(history.searchedCount - before == history.eventCount - 2)
        #expect(inspector.model.shared.notice?.contains("There is no event of that chain after this one.") == true)
        _ = inspector.counted { _ = update(&$0, .key(.character(">"))) }
        #expect(inspector.model.shared.stepping != nil)
        _ = inspector.counted { _ = update(&$0, .key(.character(","))) }
        #expect(inspector.model.shared.stepping == nil)
    }

    @Test("After a step back, the rules look at released tasks in the frames in which they read their events, not all in the last one")
    func aLastFrameIsBounded() {
        let most = [60_000, 120_000].map { tasks in
            var inspector = Ended(tasks: tasks, isReleased: true)
            inspector.press(",")
            inspector.settle()
            #expect(inspector.model.shared.findings.list != nil)
            #expect(inspector.model.shared.findings.count > 0)
            return inspector.mostPastReads
        }
        #expect(most[0] > 0 && most[1] <= most[0] * 5 / 4, "\(most)")
    }

    @Test("While a step key is held, the rules read nothing; once the cursor rests, they tell what was wrong by then")
    func aHeldKeyIsCheap() {
        var inspector = Ended(tasks: 30_000)
        for _ in 0..<20 { #expect(inspector.press(",").ruled == 0) }
        #expect(inspector.model.shared.findings.list == nil)
        inspector.settle()
        #expect(inspector.model.shared.findings.list != nil)
        #expect(inspector.model.shared.findings.seenCount == inspector.model.history.position)
    }

    @Test("No key reads more of a long trace than of a shorter one; going back to the end of an ended trace reads few tasks")
    func readsDoNotGrow() {
        var (short, long) = (Ended(tasks: 10_000), Ended(tasks: 30_000))
        for key in Self.keys {
            let (few, many) = (short.press(key).reads, long.press(key).reads)
            #expect(many <= few * 3 / 2 + 1024, "\(key): \(few), \(many)")
            short.settle()
            long.settle()
        }
    }
}
