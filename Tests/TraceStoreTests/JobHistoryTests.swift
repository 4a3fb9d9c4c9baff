import TaskEvents
import Testing
import TraceStore
import TraceTestKit

/// Ended jobs, searched by windows of time.
@Suite struct JobHistoryTests {
    @Test func aWindowHasTheJobsThatRanInIt() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        var random = SeededGenerator(seed: 4)
        var known: [JobRecord] = []
        for number in 0..<5000 {
            let lane = UInt16(number % 4)
            trace.lane = lane
            let task = trace.root("job", on: net)
            let since = trace.now
            trace.run(task, milliseconds: UInt64.random(in: 0...9, using: &random))
            known.append(JobRecord(task: task, since: since, until: trace.now, executor: net, lane: lane))
        }
        let jobs = trace.store().jobs
        #expect(jobs.total == 5000)
        for _ in 0..<200 {
            let start = UInt64.random(in: 0...trace.now, using: &random)
            let window = start...start + UInt64.random(in: 0...50_000_000, using: &random)
            var found: [JobRecord] = []
            jobs.forEach(in: window) { job in
                found.append(job)
                return true
            }
            #expect(found == known.filter { $0.until >= window.lowerBound && $0.since <= window.upperBound })
        }
    }

    @Test func aSearchCanBeStopped() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        for _ in 0..<10 { trace.run(trace.root("job", on: net)) }
        var seen = 0
        trace.store().jobs.forEach(in: 0...trace.now) { _ in
            seen += 1
            return seen < 3
        }
        #expect(seen == 3)
    }

    @Test func theOldestJobsAreEvicted() throws {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let count = 150_000
        for _ in 0..<count { trace.run(trace.root("job", on: net)) }
        let jobs = trace.store(retention: Retention(endedTasks: 1000)).jobs
        #expect(jobs.total == count)
        var kept = 0
        jobs.forEach(in: 0...trace.now) { _ in
            kept += 1
            return true
        }
        #expect(kept > 130_000 && kept <= 131_072)
        #expect(try #require(jobs.oldest) == trace.now - UInt64(kept - 1) * 1_000_000)
    }
}
