import Foundation
import TaskEvents
import Testing
import TraceTestKit
import TraceTransport

@testable import TraceStore

/// A trace that goes on for ever takes a bounded number of bytes.
@Suite struct KeyframeMemoryTests {
    private static let kept = 8_000
    private static let budget = 1 << 20

    /// Tasks that end in another order than they began, so that the rows of ended tasks lie scattered over all pages.
    private struct Churn {
        private var generator = SeededGenerator(seed: 7)
        private var open: [TaskID] = []
        private var last: UInt64 = 0

        mutating func batch(tasks: Int) -> TraceBatch {
            var events: [TaskEvent] = []
            for _ in 0..<tasks {
                last += 1
                open.append(TaskID(rawValue: last))
                events.append(TaskEvent(.created, task: TaskID(rawValue: last), at: last * 10, detail: TaskKind.root.rawValue))
                guard open.count > 500 else { continue }
                let ended = open.remove(at: Int.random(in: 0..<open.count, using: &generator))
                events.append(TaskEvent(.completed, task: ended, at: last * 10 + 1))
            }
            return TraceBatch(events: events, lanes: Array(repeating: 0, count: events.count))
        }
    }

    private static func history() -> TraceHistory {
        var limits = TraceHistory.Limits()
        limits.liveEvents = 40_000
        limits.keyframeInterval = 1_000
        limits.liveKeyframeBytes = budget
        return TraceHistory(TraceStore(retention: Retention(endedTasks: kept)), limits: limits)
    }

    @Test func keyframesStayWithinTheirBudget() {
        let history = Self.history()
        var churn = Churn()
        var most = 0
        for round in 0..<400 {
            history.apply(churn.batch(tasks: 500))
            let keyframes = history.latest.fold.memory.bytes - history.latest.tableBytes
            most = max(most, keyframes)
            // One keyframe stays, whatever it costs. A page's header is not part of the table.
            #expect(keyframes <= max(Self.budget, history.latest.tableBytes) * 17 / 16, "round \(round)")
        }
        #expect(most > Self.budget / 2 && history.latest.evictedCount > 150_000)
        // The cursor can still go to any event since the first keyframe, which is no older than the kept events.
        let first = history.firstPosition
        #expect(first >= history.eventCount - 60_000 && first < history.eventCount)
        history.seek(to: first + 1)
        #expect(history.position == first + 1)
    }

    @Test func aLiveTraceKeepsTheTasksThatItsEventsTellOf() {
        let history = TraceHistory()
        var churn = Churn()
        for _ in 0..<70 { history.apply(churn.batch(tasks: 4_000)) }
        // Beside the ended tasks, 500 are open.
        #expect(history.latest.evictedCount == 280_000 - 500 - 1 << 18)
        #expect(history.latest.tableBytes < 40 << 20)
    }

    @Test func pagesOfDroppedCopiesGoBackToTheSystem() throws {
        let history = Self.history()
        var churn = Churn()
        var between: [[UInt64]] = []
        for _ in 0..<40 { history.apply(churn.batch(tasks: 500)) }
        let store = history.latest
        let before = try Self.resident()
        var copies: [Keyframes.Frame] = []
        for _ in 0..<60 {
            copies.append(Keyframes.Frame(number: 0, fold: store.fold))
            history.apply(churn.batch(tasks: 500))
            // Other memory of the process, which stays, lies between the pages.
            between.append(Array(repeating: 1, count: 2_000))
        }
        let pages = store.fold.memory.bytes - store.tableBytes
        let most = try Self.resident()
        #expect(pages > 16 << 20 && most - before > pages * 3 / 4, "\(pages) bytes of pages, \(most - before) resident")
        copies = []
        #expect(store.fold.memory.bytes - store.tableBytes <= max(Self.budget, store.tableBytes) * 17 / 16)
        #expect(try most - Self.resident() > pages * 3 / 4)
        #expect(between.count == 60)
    }

    /// The bytes of this process that are in memory.
    private static func resident() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
