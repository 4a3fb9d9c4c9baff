import TaskEvents
import Testing
import TraceTransport

@testable import TraceStore

/// The merger with lanes that behave in ways that are rare in real lanes.
@Suite struct LaneSourceTests {
    private func drained(_ source: some LaneSource) -> TraceBatch {
        var merger = LaneMerger(source: source)
        var all = TraceBatch()
        merger.drain { batch in
            all.events += batch.events
            all.lanes += batch.lanes
            all.lost += batch.lost
        }
        return all
    }

    /// A delayed reader may find a whole read overrun; the records after it are older than the time of the look.
    @Test(arguments: [1, 100, 20_000, 40_000])
    func anEntirelyOverrunReadComesBeforeLaterRecords(count: Int) {
        let source = ScriptedLanes(now: 1_000_000, overrun: 1024, times: (0..<count).map { UInt64($0) })
        let batch = drained(source)
        #expect(batch.lost == 3072)
        #expect(batch.events.count == count + 1)
        #expect(batch.events.first?.kind == .lost)
        #expect(batch.events.first?.time == 0)
        #expect(batch.events.dropFirst().map(\.time) == (0..<count).map { UInt64($0) })
    }

    @Test func anOverrunWithoutLaterRecordsIsCounted() {
        let batch = drained(ScriptedLanes(now: 70, overrun: 1024, times: []))
        #expect(batch.lost == 3072)
        #expect(batch.events.map(\.time) == [70])
    }

    @Test func lossesAddUpToABound() {
        let loss = TaskEvent(.lost, at: 1, other: .max)
        var batch = TraceBatch(events: [loss, loss], lanes: [0, 0], lost: .max)
        batch.append(TraceBatch(events: [loss], lanes: [0], lost: .max))
        #expect(batch.lost == 1 << 62)
        let store = TraceStore()
        store.apply(batch)
        #expect(store.lostCount == 1 << 62)
    }

    @Test(arguments: [100, 16_384, 50_000])
    func aLaneWhoseClockGoesBackEnds(count: Int) {
        let batch = drained(ScriptedLanes(now: 1_000_000, overrun: 0, times: (0..<count).map { UInt64(count - $0) }))
        #expect(batch.lost == 0)
        #expect(batch.events.count == count)
    }
}

/// One lane with records of given times, whose first three reads find only losses.
private final class ScriptedLanes: LaneSource {
    let program = "scripted"
    let pid: Int32 = 1
    let startRealtime: UInt64 = 0
    let now: UInt64
    let unplaced: UInt64 = 0
    let entriesRefused: UInt64 = 0

    private let overrun: UInt64
    private let times: [UInt64]

    init(now: UInt64, overrun: UInt64, times: [UInt64]) {
        self.now = now
        self.overrun = overrun
        self.times = times
    }

    func copyHeads(to heads: inout [UInt64]) {
        heads = [overrun * 3 + UInt64(times.count)]
    }

    func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64 {
        if next < overrun * 3 {
            next += overrun
            return overrun
        }
        let first = Int(next - overrun * 3)
        let piece = times[first..<min(first + limit, times.count)]
        for time in piece { events.append(TaskEvent(.resumed, task: TaskID(rawValue: 1), at: time)) }
        next += UInt64(piece.count)
        return 0
    }

    func copyEntries(to table: inout EntryTable) {}
}

/// The pauses of a thread that drains lanes, as functions of the events that came.
struct DrainPaceTests {
    private func pauses(_ pace: DrainPace, _ rounds: [Int]) -> [UInt64] {
        var pause = pace.shortest
        return rounds.map { events in
            pause = pace.pause(after: pause, events: events)
            return pause / 1_000_000
        }
    }

    @Test func aPromptReaderPausesLongerOnlyWithoutEvents() {
        #expect(pauses(.prompt, [0, 0, 0, 1, 0, 16_384]) == [2, 4, 4, 1, 2, 1])
    }

    @Test func aSparingReaderWakesTenTimesASecondForFewEvents() {
        #expect(pauses(.sparing, [0, 100, 8191, 9000, 16_385, 0]) == [40, 80, 100, 100, 20, 40])
    }
}
