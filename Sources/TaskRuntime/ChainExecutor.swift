import Dispatch
import Foundation
import TaskEvents

/// Where a task's body runs. Any thread may use one; equal queues give equal executors.
public struct ChainExecutor: Sendable {
    let core: ExecutorCore

    /// Always inline, on the thread that ends the task before.
    public static let immediate = ChainExecutor(core: ExecutorCore(name: "immediate", kind: .immediate, .global()))

    /// Inline, on the thread that ends the task before; on the global queue once 20 bodies run inside one another on that thread's stack.
    /// (The guides of Bolts and AWSTask say "in the background"; the libraries run inline, Bolts limited by stack space since 1.5.0 and by
    /// this count before.)
    public static let `default` = ChainExecutor(core: ExecutorCore(name: "default", kind: .default, .global()))

    /// `.default` with a dialect's own limit: inline while `hasRoom` is true, else on the global queue.
    package static func `default`(inlineWhile hasRoom: @escaping @Sendable () -> Bool) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(Self.default.core.identity, kind: .default, inlineWhile: hasRoom) { job in
                DispatchQueue.global().async(execute: job)
            })
    }

    /// Whether the calling thread is on the main queue.
    package static var isOnMain: Bool { MainQueue.isCurrent }

    /// The main queue; inline on the main queue itself. A key on the queue tells: on Linux the thread does not.
    public static let main = ChainExecutor(core: MainQueue.core)

    /// A dispatch queue: always through the queue, also from the queue itself. It is called by the queue's label.
    public static func queue(_ queue: DispatchQueue) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(ExecutorRegistry.shared.identity(of: queue), kind: .queue) { job in queue.async(execute: job) })
    }

    /// An operation queue: each job is one operation. It is called by the queue's name.
    public static func operationQueue(_ queue: OperationQueue) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(ExecutorRegistry.shared.identity(of: queue), kind: .operationQueue) { job in queue.addOperation(job) })
    }

    /// Threads of its own: `width` of them, at least one, run jobs in the order they came.
    public static func pool(name: String, width: Int) -> ChainExecutor {
        let pool = WorkerPool(name: name, width: width)
        return ChainExecutor(core: ExecutorCore(name: name, kind: .pool) { pool.run($0) })
    }

    /// An executor of the program's own: it must call each closure that `schedule` is handed, once.
    public static func custom(
        name: String, _ schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> ChainExecutor {
        ChainExecutor(core: ExecutorCore(name: name, kind: .custom, schedule))
    }

    /// Runs a closure as its tasks' bodies are run, without making a task of it.
    public func execute(_ closure: @escaping @Sendable () -> Void) {
        switch core.placement {
        case .inline:
            closure()
        case .queue:
            core.submit { [core] in
                ExecutionFrame.job(on: core.id) {
                    Emit.started(.none, on: core.id, .dequeued)
                    closure()
                    Emit.jobEnded(.none, on: core.id)
                }
            }
        }
    }
}
