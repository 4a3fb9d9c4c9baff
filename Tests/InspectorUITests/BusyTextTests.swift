import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import InspectorUI

@Suite struct BusyTextTests {
    /// Two jobs on two threads at a time for 8 ms, then nothing for 2 ms.
    private static func text(_ name: String, _ kind: ExecutorKind) -> BusyText? {
        var trace = TraceBuilder()
        let executor = trace.executor(name, kind)
        let tasks = (0..<2).map { _ in trace.create(.detached, "work", on: executor) }
        for (lane, task) in tasks.enumerated() {
            trace.lane = UInt16(lane)
            trace.enqueue(task)
            trace.start(task, .slice)
        }
        trace.advance(milliseconds: 8)
        for (lane, task) in tasks.enumerated() {
            trace.lane = UInt16(lane)
            trace.complete(task)
        }
        trace.advance(milliseconds: 2)
        let store = trace.store()
        store.advance(to: trace.now)
        return store.executor(executor).map { BusyText($0, until: store.now) }
    }

    @Test("The share of a pool is that of all threads that it used at a time")
    func pool() {
        let busy = Self.text("global", .global)
        #expect(busy?.text == "1.6 of 2 threads")
        #expect(busy?.share == 800)
    }

    @Test("An executor that runs one job at a time is never shown as several threads, or as busier than all the time")
    func serial() {
        let busy = Self.text("Store", .actor)
        #expect(busy?.text == "100 %")
        #expect(busy?.share == 1000)
    }
}
