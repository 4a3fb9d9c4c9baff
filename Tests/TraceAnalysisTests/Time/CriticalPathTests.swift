import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

/// The critical path of a task.
@Suite struct CriticalPathTests {
    /// The path as text, in the order of time: `queued 1 on store 2ms`.
    private func path(of task: TaskID, _ trace: TraceBuilder) throws -> [String] {
        let store = trace.store()
        let path = CriticalPath(of: try #require(store.task(task)), trace.steps(), in: store)
        return path.segments.map { segment in
            let executor = segment.executor == .none ? "" : " on \(store.description(of: segment.executor).name)"
            let wait = segment.wait.map { " for \($0.rawValue)" } ?? ""
            return "\(segment.kind.rawValue) \(segment.task.rawValue)\(executor)\(wait) \(segment.nanoseconds / 1_000_000)ms"
        }
    }

    @Test("A task's own states are its path")
    func own() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let task = trace.root("request", on: pool)
        trace.advance(milliseconds: 1)
        trace.enqueue(task)
        trace.advance(milliseconds: 2)
        trace.start(task)
        trace.advance(milliseconds: 4)
        trace.beginWait(for: .none, by: task)
        trace.advance(milliseconds: 8)
        trace.endWait(for: .none, by: task)
        trace.advance(milliseconds: 16)
        trace.complete(task)
        trace.endJob(task)
        #expect(
            try path(of: task, trace) == [
                "awaiting 1 1ms", "queued 1 on pool 2ms", "running 1 on pool 4ms", "blocked 1 on pool 8ms", "running 1 on pool 16ms",
            ])
    }

    @Test("A wait for a task is that task's path, also where that waits in turn")
    func awaited() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let disk = trace.executor("disk", .queue)
        let task = trace.root("request", on: pool)
        trace.enqueue(task)
        trace.start(task)
        trace.advance(milliseconds: 1)
        let read = trace.root("read", on: disk)
        trace.enqueue(read)
        trace.wait(task, forInner: read)
        trace.endJob(task)
        trace.advance(milliseconds: 2)
        trace.lane = 1
        trace.start(read)
        trace.advance(milliseconds: 4)
        let sleep = trace.delay("sleep")
        trace.wait(read, forInner: sleep)
        trace.endJob(read)
        trace.advance(milliseconds: 8)
        trace.complete(sleep)
        trace.advance(milliseconds: 16)
        trace.complete(read)
        trace.advance(milliseconds: 32)
        trace.complete(task)
        #expect(
            try path(of: task, trace) == [
                "running 1 on pool 1ms", "queued 2 on disk 2ms", "running 2 on disk 4ms", "awaiting 3 for timer 8ms",
                "awaiting 2 for task 16ms", "awaiting 1 for task 32ms",
            ])
    }

    @Test("A continuation's wait is what its chain did since it was made; a join's that of the input that ended last")
    func chains() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let first = trace.root("first", on: pool)
        trace.enqueue(first)
        trace.advance(milliseconds: 1)
        trace.start(first)
        trace.advance(milliseconds: 1)
        let next = trace.continuation("next", of: first, on: pool)
        let other = trace.root("other", on: pool)
        let join = trace.join(of: [first, other])
        trace.advance(milliseconds: 2)
        trace.complete(first)
        trace.enqueue(next)
        trace.endJob(first)
        trace.advance(milliseconds: 4)
        trace.start(next)
        trace.advance(milliseconds: 8)
        trace.complete(next)
        trace.endJob(next)
        trace.run(other, after: 16, milliseconds: 32)
        trace.complete(join)
        #expect(
            try path(of: next, trace) == [
                "running 1 on pool 2ms", "queued 2 on pool 4ms", "running 2 on pool 8ms",
            ])
        #expect(try path(of: join, trace) == ["awaiting 3 14ms", "queued 3 on pool 16ms", "running 3 on pool 32ms"])
    }

    @Test("A continuation is on the path of the task that resumed it")
    func waker() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .global)
        let task = trace.create(.unstructured, "reader", on: pool)
        trace.start(task, .slice)
        let feeder = trace.create(.unstructured, "feeder", on: pool)
        trace.lane = 1
        trace.enqueue(feeder)
        trace.lane = 0
        trace.advance(milliseconds: 1)
        trace.suspend(task, .continuation)
        trace.lane = 1
        trace.advance(milliseconds: 2)
        trace.start(feeder, .slice)
        trace.advance(milliseconds: 4)
        trace.emit(TaskEvent(.enqueued, task: task, other: feeder.rawValue, executor: pool))
        trace.advance(milliseconds: 8)
        trace.start(task, .slice)
        trace.complete(task)
        #expect(
            try path(of: task, trace) == [
                "running 1 on pool 1ms", "queued 2 on pool 2ms", "running 2 on pool 4ms", "queued 1 on pool 8ms",
            ])
    }

    @Test("A wait for a group is on the path of the child that was the last to end")
    func group() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .global)
        let task = trace.create(.unstructured, "request", on: pool)
        trace.start(task, .slice)
        let children = ["fast", "slow", "late"].map { trace.create(.groupChild, $0, of: [task], on: pool) }
        for child in children { trace.enqueue(child) }
        trace.suspend(task, .group)
        for (lane, child) in children.enumerated() {
            trace.lane = UInt16(lane + 1)
            trace.start(child, .slice)
        }
        trace.lane = 1
        trace.advance(milliseconds: 1)
        trace.complete(children[0])
        trace.lane = 2
        trace.advance(milliseconds: 4)
        trace.complete(children[1])
        trace.emit(TaskEvent(.enqueued, task: task, executor: pool))
        trace.lane = 0
        trace.advance(milliseconds: 2)
        trace.start(task, .slice)
        trace.complete(task)
        trace.lane = 3
        trace.complete(children[2])
        #expect(try path(of: task, trace) == ["running 3 on pool 5ms", "queued 1 on pool 2ms"])
    }

    @Test("Where a task without a maker ended a wait, the time before its creation is the waiting task's own")
    func lateWaker() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .global)
        let task = trace.create(.unstructured, "request", on: pool)
        trace.start(task, .slice)
        trace.suspend(task, .continuation)
        trace.advance(milliseconds: 8)
        trace.lane = 1
        let alarm = trace.create(.internal)
        trace.start(alarm, .slice)
        trace.advance(milliseconds: 1)
        trace.emit(TaskEvent(.enqueued, task: task, other: alarm.rawValue, executor: pool))
        trace.complete(alarm)
        trace.start(task, .slice)
        trace.advance(milliseconds: 2)
        trace.complete(task)
        #expect(try path(of: task, trace) == ["awaiting 1 for continuation 8ms", "running 2 1ms", "running 1 on pool 2ms"])
    }

    @Test("Tasks that wake each other in turn do not lead in a circle")
    func circle() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .global)
        let (one, other) = (trace.create(.unstructured, "one", on: pool), trace.create(.unstructured, "other", on: pool))
        trace.start(one, .slice)
        for _ in 0..<3 {
            trace.suspend(one, .continuation)
            trace.emit(TaskEvent(.enqueued, task: other, other: one.rawValue, executor: pool))
            trace.advance(milliseconds: 1)
            trace.start(other, .slice)
            trace.advance(milliseconds: 1)
            trace.emit(TaskEvent(.enqueued, task: one, other: other.rawValue, executor: pool))
            trace.suspend(other, .continuation)
            trace.advance(milliseconds: 1)
            trace.start(one, .slice)
        }
        trace.complete(one)
        let turn = ["queued 2 on pool 1ms", "running 2 on pool 1ms", "queued 1 on pool 1ms"]
        #expect(try path(of: one, trace) == turn + turn + turn)
    }

    @Test("A chain of a hundred thousand links is followed to its beginning")
    func longChain() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        var tasks = [trace.root("root", on: pool)]
        for _ in 1..<100_000 { tasks.append(trace.continuation("next", of: tasks[tasks.count - 1], on: pool)) }
        let last = tasks[tasks.count - 1]
        for task in tasks {
            trace.enqueue(task)
            trace.advance(nanoseconds: 1)
            trace.start(task)
            trace.advance(nanoseconds: 2)
            trace.complete(task)
            trace.endJob(task)
        }
        let store = trace.store(retention: Retention(endedTasks: .max))
        let segments = CriticalPath(of: try #require(store.task(last)), trace.steps(), in: store).segments
        #expect(segments.count == 200_000)
        #expect(segments.reduce(0) { $0 + $1.nanoseconds } == 300_000)
    }

    @Test("The segments of random traces lie end to end; what is the task's own is its parts", arguments: 1...24)
    func randomTraces(seed: UInt64) throws {
        let trace = RandomTrace(seed: seed, tasks: 300, isComplete: seed % 2 == 0)
        let store = trace.trace.store()
        let steps = trace.trace.steps()
        for id in trace.truth.keys {
            let task = try #require(store.task(id))
            let parts = try #require(TimeParts(task, in: store))
            let segments = CriticalPath(of: task, steps, in: store).segments
            #expect(segments.reduce(0) { $0 + $1.nanoseconds } == parts.life)
            #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.end == $1.start })
            if let first = segments.first { #expect(first.start == task.created) }
            func own(_ kind: CriticalPath.Segment.Kind) -> UInt64 {
                segments.reduce(0) { $1.task == id && $1.kind == kind ? $0 + $1.nanoseconds : $0 }
            }
            #expect([own(.running), own(.blocked), own(.queued)] == [parts.running, parts.blocked, parts.queued], "task \(id.rawValue)")
        }
    }
}
