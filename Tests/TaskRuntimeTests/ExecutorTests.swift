import Dispatch
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

@Suite struct ExecutorTests {
    // MARK: Nested levels

    /// The first body has no level; 20 run nested, the next is dispatched.
    @Test(arguments: [1, 20, 21, 22, 42, 43, 100])
    func defaultRunsTwentyLevelsInline(depth: Int) {
        let sources = (0...depth).map { _ in TaskCompletionSource<Int>() }
        let threads = Guarded<[UInt]>([])
        for level in 0..<depth {
            sources[level].task.continueWith { _ in
                threads.withLock { $0.append(currentThread()) }
                sources[level + 1].set(level)
            }
        }
        sources[0].set(0)
        sources[depth].task.wait()
        // Each stretch of 21 bodies is one stack; the job that continues it may get any thread of the global queue.
        let stretches = threads.withLock { $0 }
        for (level, thread) in stretches.enumerated() {
            #expect(thread == stretches[level / 21 * 21], "body \(level)")
        }
        #expect(stretches[0] == currentThread())
        if depth > 21 { #expect(stretches[21] != stretches[0]) }
    }

    @Test func immediateBodiesCountAsLevels() {
        let here = currentThread(), log = Log()
        let sources = (0...23).map { _ in TaskCompletionSource<Int>() }
        for level in 0..<23 {
            let executor: ChainExecutor = level < 21 || level == 22 ? .immediate : .default
            sources[level].task.continueWith(on: executor) { _ in
                log.add(currentThread() == here ? "here" : "elsewhere")
                sources[level + 1].set(level)
            }
        }
        sources[0].set(0)
        sources[23].task.wait()
        #expect(log.lines == Array(repeating: "here", count: 21) + ["elsewhere", "elsewhere"])
    }

    /// A custom executor that runs its jobs at once includes the outer bodies in the count.
    @Test func jobsOfAnInlineCustomExecutorCountAsLevels() {
        let atOnce = ChainExecutor.custom(name: "at once") { $0() }
        let here = currentThread(), log = Log()
        let sources = (0...30).map { _ in TaskCompletionSource<Int>() }
        for level in 0..<30 {
            sources[level].task.continueWith(on: level == 20 ? atOnce : .default) { _ in
                log.add(currentThread() == here ? "here" : "elsewhere")
                sources[level + 1].set(level)
            }
        }
        sources[0].set(0)
        sources[30].task.wait()
        #expect(log.lines == Array(repeating: "here", count: 21) + Array(repeating: "elsewhere", count: 9))
    }

    @Test func linksOfAChainDoNotCountAsLevels() {
        let here = currentThread()
        let source = TaskCompletionSource<Int>()
        var task = source.task
        for number in 0..<60 {
            switch number % 3 {
            case 0: task = task.continueWith { ($0.result ?? -1) + 1 }
            case 1: task = task.continueOnSuccessWithTask { ChainTask($0 + 1) }
            default: task = task.continueWithTask { task in ChainTask { (task.result ?? -1) + 1 } }
            }
        }
        let last = task.continueWith { ($0.result, currentThread()) }
        source.set(0)
        #expect(last.result?.0 == 60)
        #expect(last.result?.1 == here)
    }

    // MARK: Queues

    @Test func aQueueIsAlwaysAsynchronousAlsoFromItself() {
        let queue = DispatchQueue(label: "own"), executor = ChainExecutor.queue(queue), log = Log()
        let task = ChainTask(on: executor) {
            dispatchPrecondition(condition: .onQueue(queue))
            let inner = ChainTask(on: executor) { log.add("inner") }
            inner.continueWith(on: executor) { _ in log.add("after inner") }
            log.add("body")
        }
        task.wait()
        queue.sync {}
        queue.sync {}
        #expect(log.lines == ["body", "inner", "after inner"])
    }

    @Test func aContinuationRunsOnItsQueue() {
        let queue = DispatchQueue(label: "own"), key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 7)
        let task = ChainTask(1).continueWith(on: .queue(queue)) { _ in DispatchQueue.getSpecific(key: key) }
        task.wait()
        #expect(task.result == 7)
    }

    @Test func anOperationQueueRunsOneOperationPerJob() {
        let queue = OperationQueue()
        queue.name = "operations"
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let executor = ChainExecutor.operationQueue(queue), log = Log()
        let tasks = (0..<3).map { number in ChainTask(on: executor) { log.add("\(number)") } }
        #expect(queue.operationCount == 3 && log.lines == [])
        queue.isSuspended = false
        for task in tasks { task.wait() }
        #expect(log.lines == ["0", "1", "2"])
    }

    @Test func twoExecutorsOfOneQueueAreEqual() {
        let queue = DispatchQueue(label: "one"), other = DispatchQueue(label: "one")
        #expect(ChainExecutor.queue(queue).core.id == ChainExecutor.queue(queue).core.id)
        #expect(ChainExecutor.queue(queue).core.id != ChainExecutor.queue(other).core.id)
        #expect(ChainExecutor.queue(.main).core.id == ChainExecutor.queue(.main).core.id)
        #expect(ChainExecutor.queue(.global()).core.id == ChainExecutor.queue(.global()).core.id)
        #expect(ChainExecutor.queue(.global()).core.id != ChainExecutor.queue(.global(qos: .background)).core.id)
        let operations = OperationQueue(), others = OperationQueue()
        #expect(ChainExecutor.operationQueue(operations).core.id == ChainExecutor.operationQueue(operations).core.id)
        #expect(ChainExecutor.operationQueue(operations).core.id != ChainExecutor.operationQueue(others).core.id)
        #expect(ChainExecutor.operationQueue(.main).core.id == ChainExecutor.operationQueue(.main).core.id)
    }

    @Test func aNewQueueNeverGetsTheIdentityOfOneThatWasReleasedInTheSameRecording() async throws {
        _ = try await EventRecording.of { _ in
            var seen: Set<UInt16> = []
            for _ in 0..<200 {
                let (isNew, _) = seen.insert(ChainExecutor.operationQueue(OperationQueue()).core.id.rawValue)
                #expect(isNew)
            }
        }
    }

    @Test func executorsWithoutAQueueAreDistinct() {
        let ids = [
            ChainExecutor.pool(name: "pool", width: 1), .pool(name: "pool", width: 1), .custom(name: "custom") { $0() },
            .custom(name: "custom") { $0() },
        ].map(\.core.id)
        #expect(Set(ids).count == 4)
    }

    // MARK: Pools

    @Test(arguments: [1, 2, 5], [1, 100])
    func aPoolNeverExceedsItsWidth(width: Int, jobs: Int) {
        let executor = ChainExecutor.pool(name: "pool", width: width)
        let running = Guarded((now: 0, most: 0))
        let tasks = (0..<jobs).map { _ in
            ChainTask(on: executor) {
                running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                for _ in 0..<1000 { running.withLock { _ in } }
                running.withLock { $0.now -= 1 }
            }
        }
        for task in tasks { task.wait() }
        let most = running.withLock { $0.most }
        #expect(most >= 1 && most <= width)
    }

    /// Jobs that block until all of them run need every thread of the pool at once. A concurrent queue gains one thread a second while its
    /// threads block, so its jobs would give up long before.
    @Test func aPoolHasAllItsThreadsAtOnce() {
        let width = 100, executor = ChainExecutor.pool(name: "pool", width: width), all = DispatchSemaphore(value: 0)
        let arrived = Guarded(0)
        let tasks = (0..<width).map { _ in
            ChainTask(on: executor) {
                let isLast = arrived.withLock {
                    $0 += 1
                    return $0 == width
                }
                if isLast { for _ in 0..<width { all.signal() } }
                return all.wait(timeout: .now() + 20) == .success
            }
        }
        for task in tasks { task.wait() }
        #expect(tasks.map(\.result) == Array(repeating: true, count: width))
    }

    @Test(arguments: [0, 1, -3])
    func aPoolOfOneKeepsTheOrder(width: Int) {
        let executor = ChainExecutor.pool(name: "pool", width: width), log = Log()
        let tasks = (0..<200).map { number in ChainTask(on: executor) { log.add("\(number)") } }
        for task in tasks { task.wait() }
        #expect(log.lines == (0..<200).map(String.init))
    }

    @Test func aPoolRunsJobsAgainAfterBeingIdle() {
        let executor = ChainExecutor.pool(name: "pool", width: 3)
        for round in 0..<50 {
            let tasks = (0..<5).map { number in ChainTask(on: executor) { round * number } }
            for task in tasks { task.wait() }
            #expect(tasks.map(\.result) == (0..<5).map { round * $0 })
        }
    }

    // MARK: Custom executors and closures

    @Test func aCustomExecutorReceivesTheJobs() {
        let manual = ManualExecutor(), log = Log()
        ChainTask(on: manual.executor) { log.add("root") }.continueWith(on: manual.executor) { _ in log.add("continuation") }
        manual.executor.execute { log.add("closure") }
        #expect(log.lines == [] && manual.count == 2)
        #expect(manual.runNext())
        #expect(log.lines == ["root"] && manual.count == 2)
        #expect(manual.runAll() == 2)
        #expect(log.lines == ["root", "closure", "continuation"])
        #expect(!manual.runNext())
    }

    @Test func closuresRunOnTheExecutor() {
        let log = Log(), queue = DispatchQueue(label: "own")
        ChainExecutor.immediate.execute { log.add("immediate") }
        ChainExecutor.default.execute { log.add("default") }
        ChainExecutor.queue(queue).execute {
            dispatchPrecondition(condition: .onQueue(queue))
            log.add("queue")
        }
        queue.sync {}
        #expect(log.lines == ["immediate", "default", "queue"])
    }

    // MARK: Main

    @Test func mainRunsInlineOnMain() async {
        let log = Log()
        await withCheckedContinuation { done in
            DispatchQueue.main.async {
                ChainTask(on: .main) { log.add("root") }.continueWith(on: .main) { _ in log.add("continuation") }
                log.add("returned")
                ChainExecutor.main.execute { log.add("closure") }
                log.add("returned")
                done.resume()
            }
        }
        #expect(log.lines == ["root", "continuation", "returned", "closure", "returned"])
    }

    @Test func mainIsQueuedFromOtherThreads() async {
        let source = TaskCompletionSource<Int>(), log = Log()
        let task = source.task.continueWith(on: .main) { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            log.add("continuation")
        }
        await withCheckedContinuation { done in
            DispatchQueue.main.async {
                // Main waits for the other thread, so no job of its queue can have run when `set` returns.
                onThread {
                    source.set(1)
                    log.add("returned")
                }
                done.resume()
            }
        }
        _ = try? await task.value
        #expect(log.lines == ["returned", "continuation"])
    }

    /// On Linux the main actor may run on any thread; it counts as main on each.
    @Test @MainActor func theMainActorIsOnMain() async {
        await Task.yield()
        let log = Log()
        _ = ChainTask(on: .main) { log.add("inline") }
        log.add("returned")
        #expect(log.lines == ["inline", "returned"])
    }
}
