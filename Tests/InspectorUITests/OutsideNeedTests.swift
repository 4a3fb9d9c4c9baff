import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// When a look from outside is worth its cost: what lasts a second, and what the trace does not tell.
@Suite struct OutsideNeedTests {
    private static func isDue(_ trace: TraceBuilder, after milliseconds: UInt64) -> Bool {
        let store = trace.store()
        store.advance(to: trace.now + milliseconds * 1_000_000)
        var need = OutsideNeed()
        return need.isDue(in: store)
    }

    /// Whether a look is due at the end of each second, if each that is due is made.
    private static func looks(_ trace: TraceBuilder, seconds: UInt64) -> [Bool] {
        let store = trace.store()
        var need = OutsideNeed()
        return (1...seconds).map { second in
            store.advance(to: trace.now + second * 1_000_000_000)
            return need.isDue(in: store)
        }
    }

    @Test("A job that has held its thread for a second, also while it takes free actors without a pause")
    func runs() {
        var trace = TraceBuilder()
        trace.state(.names)
        let pool = trace.executor("global", .pool)
        let actors = [trace.executor("Palette", .actor), trace.executor("Canvas", .actor)]
        let task = trace.create(.unstructured, "pixels", on: pool)
        trace.start(task, .slice, on: pool)
        #expect(!Self.isDue(trace, after: 900))
        #expect(Self.isDue(trace, after: 1000))

        var last = pool
        for number in 0..<20 {
            trace.advance(milliseconds: 50)
            trace.hop(task, from: last, to: actors[number % 2], .inline)
            last = actors[number % 2]
        }
        #expect(Self.isDue(trace, after: 0), "The job began a second ago, and on this actor it has just begun.")

        trace.suspend(task, .continuation, in: trace.code(CodeSymbol(function: "wait()", file: "App.swift", line: 7)))
        trace.start(task, .slice, on: pool)
        #expect(!Self.isDue(trace, after: 900), "The task has begun anew.")
    }

    @Test("Jobs that wait for main, although nothing that is recorded runs there")
    func heldMain() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.create(.unstructured, "show", on: main)
        trace.enqueue(task, on: main)
        #expect(!Self.isDue(trace, after: 900))
        #expect(Self.isDue(trace, after: 1000))
    }

    @Test("A wait without a place once, one with a place never, and never one for a group")
    func waits() {
        for (reason, isWanted) in [(SuspensionReason.continuation, true), (.group, false)] {
            var trace = TraceBuilder()
            trace.state(.names)
            let task = trace.create(.unstructured, "load")
            trace.start(task, .slice)
            trace.suspend(task, reason)
            let looks = Self.looks(trace, seconds: 5)
            #expect(looks == [isWanted, false, false, false, false], "\(reason)")
        }
        var trace = TraceBuilder()
        trace.state(.names)
        let task = trace.create(.unstructured, "load")
        trace.start(task, .slice)
        trace.suspend(task, .continuation, in: trace.code(CodeSymbol(function: "load()", file: "App.swift", line: 7)))
        #expect(!Self.isDue(trace, after: 2000))
    }

    @Test("A job that goes on is looked at again after three seconds")
    func again() {
        var trace = TraceBuilder()
        let pool = trace.executor("global", .pool)
        let task = trace.create(.unstructured, "sum", on: pool)
        trace.start(task, .slice, on: pool)
        let looks = Self.looks(trace, seconds: 7)
        #expect(looks == [true, false, false, true, false, false, true])
    }
}
