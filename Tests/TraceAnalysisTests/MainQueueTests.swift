import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceAnalysis

/// Long jobs on main, and the jobs that wait for them.
@Suite struct MainQueueTests {
    private var trace = TraceBuilder()
    private let main: ExecutorID
    private let net: ExecutorID

    init() {
        main = trace.executor("main", .main)
        net = trace.executor("net", .pool)
    }

    /// A job on main that starts at once.
    private mutating func begin(_ name: String) -> TaskID {
        let task = trace.root(name, on: main)
        trace.enqueue(task)
        trace.start(task)
        return task
    }

    private mutating func end(_ task: TaskID) {
        trace.complete(task)
        trace.endJob(task)
    }

    private mutating func wait(_ name: String) -> TaskID {
        let task = trace.root(name, on: main)
        trace.enqueue(task)
        return task
    }

    @Test mutating func aStallHasItsBlockerAndItsWaitingJobs() throws {
        let quick = begin("quick")
        trace.advance(milliseconds: 16)
        end(quick)
        let blocker = begin("blocker")
        trace.advance(milliseconds: 100)
        let first = wait("first")
        trace.advance(milliseconds: 50)
        let second = wait("second")
        trace.advance(milliseconds: 50)
        end(blocker)
        trace.advance(milliseconds: 1)
        let late = wait("late")
        for task in [first, second, late] {
            trace.start(task)
            trace.advance(milliseconds: 1)
            end(task)
        }
        let store = trace.store()
        let queue = MainFrames(store)
        let stall = try #require(queue.stalls(limit: 10).first)
        #expect(queue.stalls(limit: 10).count == 1)
        #expect(stall == MainFrames.Stall(task: blocker, since: 16_000_000, until: 216_000_000, isRunning: false))
        #expect(
            queue.victims(of: stall) == [
                MainFrames.Victim(task: first, wait: 100_000_000), MainFrames.Victim(task: second, wait: 50_000_000),
            ])
        #expect(queue.missedFrames == 11)
        #expect(queue.frames == store.now / JobHistory.frameBudget)
    }

    @Test mutating func aTaskWaitsOnceForAStallAlthoughItComesBackToMain() throws {
        let task = trace.create(.detached, "load")
        let blocker = begin("blocker")
        trace.advance(milliseconds: 100)
        trace.hop(task, from: net, to: main)
        trace.enqueue(task, on: main)
        trace.advance(milliseconds: 100)
        end(blocker)
        for _ in 0..<3 {
            trace.start(task, .slice, on: main)
            trace.advance(milliseconds: 1)
            trace.suspend(task, .executor)
            trace.advance(milliseconds: 10)
            trace.hop(task, from: net, to: main)
            trace.enqueue(task, on: main)
            trace.advance(milliseconds: 2)
        }
        let store = trace.store()
        let stall = try #require(MainFrames(store).stalls(limit: 10).last)
        #expect(stall.task == blocker)
        #expect(MainFrames(store).victims(of: stall) == [MainFrames.Victim(task: task, wait: 100_000_000)])
    }

    @Test mutating func aStallMayStillRun() throws {
        let blocker = begin("blocker")
        trace.advance(milliseconds: 10)
        let waiting = wait("waiting")
        trace.advance(milliseconds: 90)
        let store = trace.store()
        store.advance(to: 200_000_000)
        let stall = try #require(MainFrames(store).stalls(limit: 10).first)
        #expect(stall.isRunning && stall.task == blocker && stall.duration == 200_000_000)
        #expect(MainFrames(store).victims(of: stall) == [MainFrames.Victim(task: waiting, wait: 190_000_000)])
        #expect(MainFrames(store).missedFrames == 11)
    }

    @Test mutating func onlyMainHasFrames() {
        let task = trace.root("long", on: net)
        trace.run(task, milliseconds: 500)
        let store = trace.store()
        #expect(MainFrames(store).stalls(limit: 10).isEmpty)
        #expect(MainFrames(store).missedFrames == 0)
    }
}
