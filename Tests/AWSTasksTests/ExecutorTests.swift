import AWSTasks
import Dispatch
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@Suite struct ExecutorTests {
    private static let key = DispatchSpecificKey<String>()

    @Test("default: runs inline while at least a tenth of the stack is left, then on another thread")
    func defaultByStack() async {
        await EventRecording.alone {
            let sources = (0..<5_000).map { _ in Source() }
            let threads = Guarded<[pthread_t]>([])
            for (source, next) in zip(sources, sources.dropFirst()) {
                source.task.continueWith { _ in
                    threads.withLock { $0.append(pthread_self()) }
                    next.set(result: nil)
                    return nil
                }
            }
            // On a thread of its own, which receives no dispatched work.
            let thread = Thread { sources[0].set(result: nil) }
            thread.stackSize = 512 << 10
            thread.start()
            await end(of: sources[sources.count - 1].task)
            let ran = threads.withLock { $0 }
            let inline = ran.prefix { $0 == ran[0] }.count
            #expect(ran.count == sources.count - 1)
            #expect(inline > 22, "Bolts before 1.5.0 dispatched the 22nd, by a count of levels")
            #expect(inline < ran.count)
        }
    }

    @Test("immediate: inline")
    func immediate() {
        let log = Log()
        AWSExecutor.immediate().execute { log.write("ran") }
        #expect(log.lines == ["ran"])
        #expect(AWSExecutor.immediate() === AWSExecutor.immediate())
    }

    @Test("mainThread: inline when the caller is on main, otherwise through the main queue")
    func mainThread() async {
        let log = Log()
        await MainActor.run {
            AWSExecutor.mainThread().execute { log.write("inline") }
            log.write("returned")
        }
        let task = Task(result: nil).continueWith(executor: .mainThread()) { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            log.write("on main")
            return nil
        }
        await end(of: task)
        #expect(log.lines == ["inline", "returned", "on main"])
    }

    @Test("dispatchQueue: through the queue, also when the caller is already on it")
    func dispatchQueue() async {
        let (queue, log) = (DispatchQueue(label: "serial"), Log())
        queue.setSpecific(key: Self.key, value: "serial")
        let executor = AWSExecutor(dispatchQueue: queue)
        let first = Task(result: nil).continueWith(executor: executor) { task in
            let second = task.continueWith(executor: executor) { _ in log.write("second, on \(Self.queueName)") }
            log.write("first, on \(Self.queueName)")
            return second
        }
        await end(of: first)
        #expect(log.lines == ["first, on serial", "second, on serial"])
    }

    private static var queueName: String { DispatchQueue.getSpecific(key: key) ?? "none" }

    @Test("operationQueue: one operation for each block")
    func operationQueue() async {
        let queue = OperationQueue()
        queue.isSuspended = true
        let tasks = (0..<3).map { (number: Int) in
            Task(result: nil).continueWith(executor: AWSExecutor(operationQueue: queue)) { _ in number }
        }
        #expect(queue.operationCount == 3)
        #expect(tasks.allSatisfy { !$0.isCompleted })
        queue.isSuspended = false
        for task in tasks { await end(of: task) }
        #expect(tasks.map { $0.result as? Int } == [0, 1, 2])
    }

    @Test("block: the given closure decides when the block runs")
    func block() {
        let jobs = Jobs()
        let task = Task(result: nil).continueWith(executor: jobs.executor()) { _ in "ran" }
        #expect((jobs.count, outcome(task)) == (1, "pending"))
        jobs.run()
        #expect(outcome(task) == "result ran")
        let atOnce = AWSExecutor { closure in closure() }
        #expect(outcome(Task(result: nil).continueWith(executor: atOnce) { _ in "ran" }) == "result ran")
    }
}
