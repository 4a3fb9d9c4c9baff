import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

/// The runs of bodies, from records that are missing or out of order.
@Suite struct TaskStepsTests {
    /// The longest run on the executor `pool` of a trace whose last event is at 10,000 ns.
    private func longestRun(_ events: (TaskID, ExecutorID) -> [(TaskEvent, UInt16)]) -> ClosedRange<UInt64>? {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let task = trace.root("task", on: pool)
        let numbered = events(task, pool) + [record(TaskEvent(.mark, at: 10_000), 0)]
        let batch = TraceBatch(events: trace.events + numbered.map(\.0), lanes: trace.lanes + numbered.map(\.1))
        let store = TraceStore()
        store.entries = trace.entries
        store.apply(batch)
        var steps = TaskSteps()
        steps.add(EventStretch(first: 1, events: batch.events, lanes: batch.lanes))
        return LongestRun(on: pool, steps, in: store)?.times
    }

    private func record(_ event: TaskEvent, _ lane: UInt16) -> (TaskEvent, UInt16) { (event, lane) }

    @Test("A job ends before it starts by the times of its lane, which step back: it is a run without a duration")
    func backInTime() {
        let times = longestRun { task, pool in
            [
                record(TaskEvent(.started, task: task, at: 2000, executor: pool, detail: StartManner.dequeued.rawValue), 0),
                record(TaskEvent(.jobEnded, task: task, at: 1000, executor: pool), 0),
            ]
        }
        #expect(times == nil)
    }

    @Test("Damage of any lanes' records ends the runs of all lanes, and a loss of threads without a lane none")
    func lossesInNoLane() {
        func times(_ manner: LossManner) -> ClosedRange<UInt64>? {
            longestRun { task, pool in
                [
                    record(TaskEvent(.started, task: task, at: 1000, executor: pool, detail: StartManner.dequeued.rawValue), 3),
                    record(TaskEvent(.lost, at: 2000, other: 1, detail: manner.rawValue), TraceBatch.noLane),
                ]
            }
        }
        #expect(times(.ofAnyLane) == 1000...2000)
        #expect(times(.ofLane) == 1000...10_000)
    }
}
