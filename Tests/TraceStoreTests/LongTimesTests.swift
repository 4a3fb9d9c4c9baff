import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

/// Sums of times that are each as long as a trace can be.
@Suite struct LongTimesTests {
    private static let longest = TraceLimits.latestTime
    private static let greatestSum: UInt64 = 1 << 62

    @Test("The times of a task whose records step back and forth add up to a bound") func steps() throws {
        var trace = TraceBuilder()
        let task = trace.create(.unstructured, "task")
        trace.start(task, .slice)
        var events = trace.events
        for _ in 0..<300 {
            events += [
                TaskEvent(.suspended, task: task, at: 0, detail: SuspensionReason.continuation.rawValue),
                TaskEvent(.resumed, task: task, at: Self.longest), TaskEvent(.waitBegan, at: 0, other: task.rawValue),
                TaskEvent(.waitEnded, at: Self.longest, other: task.rawValue),
            ]
        }
        let store = TraceStore()
        store.entries = trace.entries
        store.apply(TraceBatch(events: events, lanes: events.map { _ in 0 }))
        let view = try #require(store.task(task))
        #expect(view.suspendedTime == Self.greatestSum)
        #expect(view.blocked <= view.busy ?? 0)
    }

    @Test("The times of an executor's running jobs add up to a bound") func jobs() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        for lane in 0..<300 as Range<UInt16> {
            let task = trace.root("task", on: pool)
            trace.lane = lane
            trace.start(task)
        }
        trace.advance(nanoseconds: Self.longest)
        trace.mark("now")
        #expect(try #require(trace.store().executor(pool)).busy == Self.greatestSum)
    }
}
