import Dispatch
import Foundation
import TaskEvents

/// Where a task's body runs. Any thread may use one; equal queues give equal executors.
public struct ChainExecutor: Sendable {
    let core: ExecutorCore

    /// Inline, on the thread that completes what it follows; always.
    public static let immediate = ChainExecutor(core: ExecutorCore(name: "immediate", kind: .immediate, .global()))

    /// Inline, on the thread that completes what it follows; on the global queue once 20 bodies stand inside one another on its stack.
    /// (The seeds' guides say "in the background"; the libraries do this, Bolts by stack space since 1.5.0 and by this count before.)
    public static let `default` = ChainExecutor(core: ExecutorCore(name: "default", kind: .default, .global()))

    /// `.default` by a dialect's idea of how much may stand on a stack: inline while `hasRoom`, else on the global queue.
    package static func `default`(inlineWhile hasRoom: @escaping @Sendable () -> Bool) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(Self.default.core.identity, kind: .default, inlineWhile: hasRoom) { job in
                DispatchQueue.global().async(execute: job)
            })
    }

    /// Whether the calling thread is on the main queue.
    package static var isOnMain: Bool { MainQueue.isCurrent }

    /// The main queue; inline for who is on it. It is known by a key on the queue: on Linux the thread tells nothing.
    public static let main = ChainExecutor(core: MainQueue.core)

    /// A dispatch queue: always through the queue, also for who is on it. It is called by the queue's label.
    public static func queue(_ queue: DispatchQueue) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(ExecutorRegistry.shared.identity(of: queue), kind: .queue) { job in queue.async(execute: job) })
    }

    /// An operation queue: an operation a job. It is called by the queue's name.
    public static func operationQueue(_ queue: OperationQueue) -> ChainExecutor {
        ChainExecutor(
            core: ExecutorCore(ExecutorRegistry.shared.identity(of: queue), kind: .operationQueue) { job in queue.addOperation(job) })
    }

    /// Threads of its own, of which `width`, one at least, run jobs at a time, in the order they came.
    public static func pool(name: String, width: Int) -> ChainExecutor {
        let pool = WorkerPool(name: name, width: width)
        return ChainExecutor(core: ExecutorCore(name: name, kind: .pool) { pool.run($0) })
    }

    /// Whatever calls the closures that `schedule` is handed, each once.
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
            core.submit(of: nil) { [core] in
                ExecutionFrame.job(on: core.id) {
                    Emit.started(.none, on: core.id, .dequeued)
                    closure()
                    Emit.jobEnded(.none, on: core.id)
                }
            }
        }
    }

    /// Puts a task's job into the queue. `start` answers whether the body began.
    func enqueue(_ task: AnyChainTask, _ manner: HopManner, isHop: Bool, _ start: @escaping Start) {
        let id = task.id
        if isHop {
            let executor = ExecutionFrame.current?.pointee.executor ?? .none
            Emit.hopped(id, from: executor, to: core.id, manner)
            if core.kind == .main, executor != core.id { Gatekeeper.noteHopOntoMain() }
        }
        Emit.enqueued(id, on: core.id)
        core.submit(of: task) { [core] in
            ExecutionFrame.job(on: core.id) {
                var hasBegun = false
                Trampoline.run { hasBegun = start(Turn(executor: core.id, manner: .dequeued), &$0) }
                if hasBegun { Emit.jobEnded(id, on: core.id) }
            }
        }
    }
}
