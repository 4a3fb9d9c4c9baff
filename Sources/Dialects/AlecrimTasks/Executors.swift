import Foundation
import TaskRuntime

/// Where bodies and conditions run whose caller names no queue.
///
/// The original has two operation queues of background quality, on whose threads tasks also wait for one another. On Apple's systems such a
/// queue gets another thread, up to 64, as soon as one blocks; on Linux it gets one a second. Hence pools of as many threads.
enum Executors {
    static let tasks = ChainExecutor.pool(name: "com.alecrim.AlecrimAsyncKit.Task", width: 64)
    static let conditions = ChainExecutor.pool(name: "com.alecrim.AlecrimAsyncKit.TaskCondition", width: 64)

    /// The executor of a task's queue. A queue that runs one operation at a time is refused in debug builds, as in the original: one task
    /// that waits for the next would be enough to stop it.
    static func executor(for queue: OperationQueue?) -> ChainExecutor {
        guard let queue else { return tasks }
        let width = queue.maxConcurrentOperationCount
        assert(
            width == OperationQueue.defaultMaxConcurrentOperationCount || width > 1,
            "Task `queue` cannot be the main queue nor a serial queue.")
        return .operationQueue(queue)
    }
}
