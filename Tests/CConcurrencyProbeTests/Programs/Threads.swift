// A program with as many tasks that run at the same time as it is told, each on a thread of its own.
//
//   threads COUNT

import Foundation
import Synchronization

/// Runs each job on a new thread.
final class NewThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let work = Work(UnownedJob(job), self)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 256 << 10)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { work in
                Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        precondition(status == 0, "the thread could not be made")
        pthread_detach(thread)
    }

    private final class Work {
        let job: UnownedJob
        let executor: NewThreads

        init(_ job: UnownedJob, _ executor: NewThreads) { (self.job, self.executor) = (job, executor) }

        func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }
}

/// Threads wait here until all have come.
final class Meeting: @unchecked Sendable {
    private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

    init(of count: Int) { pthread_barrier_init(barrier, nil, UInt32(count)) }

    func wait() { pthread_barrier_wait(barrier) }
}

final class Arrivals: Sendable {
    let count = Atomic<Int>(0)
}

@main
struct Threads {
    static func main() async {
        let count = Int(CommandLine.arguments[1])!
        let executor = NewThreads()
        let arrived = Arrivals()
        let everyone = Meeting(of: count)
        let tasks = (0..<count).map { _ in
            Task(executorPreference: executor) {
                everyone.wait()
                arrived.count.wrappingAdd(1, ordering: .relaxed)
            }
        }
        for task in tasks { await task.value }
        print("arrived", arrived.count.load(ordering: .relaxed))
    }
}
