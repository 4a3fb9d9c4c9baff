import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

/// The parts of a task's life with a profile of its thread.
@Suite struct ThreadTimesTests {
    /// A task that runs from 1 ms to 11 ms on thread 42, and blocks in a recorded call from 5 ms to 8 ms.
    private static func trace() -> (TraceBuilder, TaskID) {
        var trace = TraceBuilder()
        trace.takeLane(thread: 42)
        let pool = trace.executor("pool", .pool)
        let task = trace.root("request", on: pool)
        trace.enqueue(task)
        trace.advance(milliseconds: 1)
        trace.start(task)
        trace.advance(milliseconds: 4)
        trace.beginWait(for: .none, by: task)
        trace.advance(milliseconds: 3)
        trace.endWait(for: .none, by: task)
        trace.advance(milliseconds: 3)
        trace.complete(task)
        trace.endJob(task)
        return (trace, task)
    }

    private func profile(_ changes: [(milliseconds: UInt64, kind: ThreadProfile.Kind)], thread: UInt32 = 42) -> ThreadProfile {
        var profile = ThreadProfile(hertz: 99)
        for change in changes { profile.append(.init(time: change.milliseconds * 1_000_000, thread: thread, kind: change.kind)) }
        return profile
    }

    private let whole: [(milliseconds: UInt64, kind: ThreadProfile.Kind)] = [
        (0, .resumed), (2, .preempted), (4, .resumed), (6, .waited), (7, .resumed), (9, .waited), (10, .resumed),
    ]

    @Test("The time on the processor, and without one, is that of the thread's switches; what the kernel calls waiting is blocked")
    func parts() throws {
        let (trace, id) = Self.trace()
        let store = trace.store()
        let task = try #require(store.task(id))
        let parts = try #require(TimeParts(task, in: store, trace.steps(profile(whole))))
        let milliseconds = [parts.onCPU, parts.runnable, parts.blocked, parts.queued, parts.awaiting].map { $0.map { $0 / 1_000_000 } }
        #expect(milliseconds == [6, 2, 2, 1, 0])
        #expect(parts.life == 11_000_000 && parts.running == 8_000_000)
    }

    @Test("The segments of a path are told apart in the same way, and still add up")
    func path() throws {
        let (trace, id) = Self.trace()
        let store = trace.store()
        let segments = CriticalPath(of: try #require(store.task(id)), trace.steps(profile(whole)), in: store).segments
        func sum(_ kind: CriticalPath.Segment.Kind) -> UInt64 {
            segments.reduce(0) { $1.kind == kind ? $0 + $1.nanoseconds / 1_000_000 : $0 }
        }
        #expect([sum(.onCPU), sum(.runnable), sum(.blocked), sum(.queued), sum(.running)] == [6, 2, 2, 1, 0])
        #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test(
        "Where the profile lost records, or has none of the thread, the parts are those without a profile",
        arguments: [[(3, .lost)], [(3, .unswitched)], []] as [[(milliseconds: UInt64, kind: ThreadProfile.Kind)]])
    func unknown(lost: [(milliseconds: UInt64, kind: ThreadProfile.Kind)]) throws {
        let (trace, id) = Self.trace()
        let store = trace.store()
        let profile = lost.isEmpty ? profile(whole, thread: 43) : profile(whole + lost)
        let task = try #require(store.task(id))
        let parts = try #require(TimeParts(task, in: store, trace.steps(profile)))
        #expect(parts.onCPU == nil && parts.runnable == nil)
        #expect(parts.running == 7_000_000 && parts.blocked == 3_000_000)
    }

    @Test("Where the switches end, the trace says when, and how many there were")
    func end() throws {
        let (trace, _) = Self.trace()
        var profile = profile(whole)
        profile.append(.init(time: 5_000_000, thread: 0, kind: .unswitched, value: 73_000))
        let end = try #require(trace.steps(profile).threadTimes?.end)
        #expect(end.time == 5_000_000 && end.rate == 73_000)
        #expect(trace.steps(self.profile(whole)).threadTimes?.end == nil)
    }

    @Test("A sample belongs to the innermost body that its thread ran")
    func samples() {
        let (trace, id) = Self.trace()
        var profile = ThreadProfile(hertz: 99)
        let place = CodeAddress(module: "/app", offset: 8)
        for time in [500_000, 2_000_000, 3_000_000, 20_000_000] as [UInt64] { profile.appendSample(of: 42, at: time, [place]) }
        profile.appendSample(of: 41, at: 2_000_000, [place])
        let stacks = SampledStacks(profile, trace.steps(profile), trace.store())
        #expect(stacks.count == 5)
        #expect(stacks.sampled.map(\.task) == [.none, id])
        #expect(stacks.sampled.map(\.count) == [3, 2])
    }
}
