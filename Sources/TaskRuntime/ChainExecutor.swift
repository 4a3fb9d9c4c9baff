import Dispatch
import Foundation
import TaskEvents

/// Runs the bodies of tasks. Any thread may use it. Executors made from the same queue share one identity.
public struct ChainExecutor: Sendable {
    let core: ExecutorCore

    /// Runs each body inline, on the thread that ends its antecedent.
    public static let immediate = ChainExecutor(core: ExecutorCore(name: "immediate", kind: .immediate, .global()))

    /// Runs each body inline, on the thread that ends its antecedent, or on the global queue once 20 bodies are nested on that thread's
    /// stack. (The guides of Bolts and AWSTask say "in the background", but the libraries run inline. Bolts limits nesting by stack space
    /// since 1.5.0; earlier versions limit it by this count.)
    public static let `default` = ChainExecutor(core: ExecutorCore(name: "default", kind: .default, .global()))

    /// `.default` with a dialect's own limit: runs inline while `hasRoom` returns true, otherwise on the global queue.
    package static func `default`(inlineWhile hasRoom: @escaping @Sendable () -> Bool) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(Self.default.core.identity, kind: .default, inlineWhile: hasRoom) { job in
                DispatchQueue.global().async(execute: job)
            })
    }

    /// Whether the calling thread is on the main queue.
    package static var isOnMain: Bool { MainQueue.isCurrent }

    /// The main queue; inline if the caller is on it. A key on the queue detects this, because on Linux the thread does not.
    public static let main = ChainExecutor(core: MainQueue.core)

    /// A dispatch queue. Bodies always go through the queue, even if the caller is on it. The executor's name is the queue's label.
    public static func queue(_ queue: DispatchQueue) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(ExecutorRegistry.shared.identity(of: queue), kind: .queue, width: { QueueWidth.of(queue) }) { job in
                queue.async(execute: job)
            })
    }

    /// An operation queue, with one operation for each job. The executor's name is the queue's name.
    public static func operationQueue(_ queue: OperationQueue) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(
                ExecutorRegistry.shared.identity(of: queue), kind: .operationQueue, width: { QueueWidth.of(queue) }
            ) { job in queue.addOperation(job) })
    }

    /// A pool of `width` threads, at least one. Jobs start in the order of their arrival.
    public static func pool(name: String, width: Int) -> ChainExecutor {
        let pool = WorkerPool(name: name, width: width)
        return ChainExecutor(core: ExecutorCore(name: name, kind: .pool, width: { max(1, width) }) { pool.run($0) })
    }

    /// An executor that the program implements. `schedule` must call each closure that it receives exactly once.
    public static func custom(
        name: String, _ schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> ChainExecutor {
        ChainExecutor(core: ExecutorCore(name: name, kind: .custom, schedule))
    }

    /// Runs a closure the way a task's body runs, without making a task. Without a name the closure is called after the function that gives
    /// it to the executor.
    public func execute(
        name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ closure: @escaping @Sendable () -> Void
    ) {
        switch core.placement {
        case .inline:
            closure()
        case .queue:
            let label = Emit.label(name: name, or: function, fileID: fileID, line: line)
            core.submit { [core] in
                ExecutionFrame.job(on: core.id) {
                    Emit.started(closure: label, on: core.id)
                    closure()
                    Emit.jobEnded(closure: label, on: core.id)
                }
            }
        }
    }
}
