import Foundation
import TaskRuntime

/// The executors for bodies without a queue, and for conditions.
///
/// The original has two background operation queues, whose threads block while a task waits for another. On Apple's systems such a queue
/// gets a new thread, up to 64, as soon as one blocks; on Linux it gets one a second. So these are pools of 64 threads.
enum Executors {
    static let tasks = ChainExecutor.pool(name: "com.alecrim.AlecrimAsyncKit.Task", width: 64)
    static let conditions = ChainExecutor.pool(name: "com.alecrim.AlecrimAsyncKit.TaskCondition", width: 64)

    /// The executor of a task's queue. As in the original, traps in debug builds for a serial queue, on which a task that waits for the
    /// next one deadlocks.
    static func executor(for queue: OperationQueue?) -> ChainExecutor {
        guard let queue else { return tasks }
        let width = queue.maxConcurrentOperationCount
        assert(
            width == OperationQueue.defaultMaxConcurrentOperationCount || width > 1,
            "Task `queue` cannot be the main queue nor a serial queue.")
        return .operationQueue(queue)
    }
}
