import TaskEvents
import Testing
import TraceTestKit

@testable import TraceAnalysis

/// The search for the runs that an executor had at some time.
@Suite struct RunSearchTests {
    private static let executor = ExecutorID(rawValue: 1)

    @Test("It finds the same runs and times as a look at all of them", arguments: 0..<50 as Range<UInt64>)
    func allRuns(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var runs = ExecutorRuns()
        var times: [ClosedRange<UInt64>] = []
        // Fewer runs at once than the search goes back for.
        for number in 1...200 as ClosedRange<UInt64> {
            let start = (times.last?.lowerBound ?? 0) + .random(in: 0...20, using: &random)
            let end = start + .random(in: 0...(number % 7 == 0 ? 500 : 30), using: &random)
            let run = runs.begin(task: TaskID(rawValue: number), label: .none, on: Self.executor, lane: 0, at: start)
            if number % 50 != 0 { runs.end(run, at: end) }
            times.append(start...(number % 50 != 0 ? end : .max))
        }
        let search = runs.search(on: Self.executor)
        for _ in 0..<100 {
            let start = UInt64.random(in: 0...3000, using: &random)
            let end = start + .random(in: 0...100, using: &random)
            var found: [UInt64: UInt64] = [:]
            search.forEach(from: start, until: end) { found[$0.task] = $1 }
            var all: [UInt64: UInt64] = [:]
            for (index, run) in times.enumerated() where min(run.upperBound, end) > max(run.lowerBound, start) {
                all[UInt64(index + 1)] = min(run.upperBound, end) - max(run.lowerBound, start)
            }
            #expect(found == all)
        }
    }

    @Test("An executor without a run has none") func noRun() {
        ExecutorRuns().search(on: Self.executor).forEach(from: 0, until: .max) { run, _ in Issue.record("\(run)") }
    }
}
