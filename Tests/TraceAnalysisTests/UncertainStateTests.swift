import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTransport

/// The statements of a trace about open tasks after it has lost records.
struct UncertainStateTests {
    private func state(of task: UInt64, in events: [TaskEvent], lanes: [UInt16]) throws -> DisplayedState {
        let store = TraceStore()
        store.apply(TraceBatch(events: events, lanes: lanes))
        return DisplayedState(try #require(store.task(TaskID(rawValue: task))))
    }

    private let one = TaskID(rawValue: 1), two = TaskID(rawValue: 2), global = ExecutorID(rawValue: 1)

    private var queued: [TaskEvent] {
        [TaskEvent(.created, task: one, at: 10, executor: global), TaskEvent(.enqueued, task: one, at: 20, executor: global)]
    }

    @Test func aQueuedTaskIsUnknownAfterALoss() throws {
        #expect(try state(of: 1, in: queued, lanes: [0, 0]) == .queued)
        let loss = TaskEvent(.lost, at: 30, other: 5)
        #expect(try state(of: 1, in: queued + [loss], lanes: [0, 0, TraceBatch.noLane]) == .unknown)
        #expect(try state(of: 1, in: queued + [loss], lanes: [0, 0, 1]) == .unknown)
    }

    @Test func aTaskSeenAfterTheLossIsKnown() throws {
        let events = [TaskEvent(.lost, at: 5, other: 5)] + queued
        #expect(try state(of: 1, in: events, lanes: [1, 0, 0]) == .queued)
    }

    @Test func aTaskThatEndedIsKnown() throws {
        let events = queued + [TaskEvent(.completed, task: one, at: 25), TaskEvent(.lost, at: 30, other: 5)]
        #expect(try state(of: 1, in: events, lanes: [0, 0, 0, 1]) == .succeeded)
    }

    @Test(arguments: [(1 as UInt16, DisplayedState.running), (0, .unknown)])
    func aRunningTaskIsUnknownAfterALossOfItsOwnThread(lane: UInt16, expected: DisplayedState) throws {
        let events = [
            TaskEvent(.created, task: one, at: 10, executor: global), TaskEvent(.enqueued, task: one, at: 20, executor: global),
            TaskEvent(.started, task: one, at: 25, executor: global), TaskEvent(.lost, at: 30, other: 5),
        ]
        #expect(try state(of: 1, in: events, lanes: [0, 0, 0, lane]) == expected)
    }
}
