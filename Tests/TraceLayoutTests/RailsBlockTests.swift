import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceLayout

/// Blocks among the rows of a graph.
@Suite struct RailsBlockTests {
    @Test func aBlockThatResumesATaskHasARow() {
        var trace = TraceBuilder()
        let (main, pool) = (trace.executor("main", .main), trace.executor("global", .global))
        let load = trace.create(.detached, "load")
        let first = trace.block("fetch", on: main, by: load)
        let second = trace.block("parse", on: main, by: first)
        trace.start(load, .slice, on: pool)
        trace.suspend(load, .continuation)
        let store = trace.store()
        var rails = Rails()
        func note(_ events: ArraySlice<TaskEvent>) {
            var changes: [RailChange] = []
            rails.noteChanges(after: Array(events), in: store, into: &changes)
            for change in changes { rails.update(change, in: store) }
            rails.numberRows()
        }
        note(trace.events[...])
        #expect(rails.count == 1)
        let before = trace.events.count
        trace.enqueue(load, on: pool, by: second)
        for event in trace.events[before...] { store.apply(event, lane: 0) }
        note(trace.events[before...])
        #expect([load, first, second].allSatisfy { rails.row(of: $0) != nil })
        #expect(store.task(load).map { Array($0.resumers) } == [second])
        #expect(store.task(second).map { Array($0.awaiters) } == [load])
        // It waits for the next continuation, and not for the block.
        trace.start(load, .slice, on: pool)
        trace.suspend(load, .continuation)
        for event in trace.events[(before + 1)...] { store.apply(event, lane: 0) }
        #expect(store.task(load)?.waitsFor == nil)
    }

    @Test func onlyBlocksThatLeadToATaskHaveRows() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let load = trace.create(.detached, "load")
        let (outer, alone) = (trace.block("outer", on: main, by: load), trace.block("alone", on: main, by: load))
        let inner = trace.block("inner", on: main, by: outer)
        let unled = trace.block("unled", on: main, by: inner)
        let store = trace.store()
        var rails = Rails()
        func note(_ events: ArraySlice<TaskEvent>) {
            var changes: [RailChange] = []
            rails.noteChanges(after: Array(events), in: store, into: &changes)
            for change in changes { rails.update(change, in: store) }
            rails.numberRows()
        }
        note(trace.events[...])
        #expect(rails.count == 1)
        // The events come one after the other, as in a live program.
        let before = trace.events.count
        trace.created(TaskID(rawValue: 77), .unstructured, "show", of: [inner])
        for event in trace.events[before...] { store.apply(event, lane: 0) }
        note(trace.events[before...])
        #expect(Set([load, outer, inner, TaskID(rawValue: 77)].filter { rails.row(of: $0) == nil }).isEmpty)
        #expect(rails.row(of: alone) == nil && rails.row(of: unled) == nil)
        #expect(rails.count == 4)
        // A part of the graph that is asked for has all its blocks.
        #expect(NearbyGraph(of: [load, alone], in: store).hasTask(alone))
    }
}
