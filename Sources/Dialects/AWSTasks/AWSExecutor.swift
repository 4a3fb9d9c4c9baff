import CThreadStack
import Dispatch
import Foundation
import TaskRuntime

/// Where a continuation's block runs. Any thread may use one.
public final class AWSExecutor: NSObject, @unchecked Sendable {
    // Immutable but for what NSObject holds, which is nothing.

    let chain: ChainExecutor

    private init(_ chain: ChainExecutor) {
        self.chain = chain
    }

    private static let stackSaving = AWSExecutor(
        ChainExecutor.default {
            let stack = thread_stack_now()
            return stack.remaining >= stack.size / 10
        })
    private static let inline = AWSExecutor(.immediate)
    private static let main = AWSExecutor(.main)

    /// Inline, on the thread that ends what the block follows, unless less than a tenth of that thread's stack is left: then on the global
    /// queue. So do Bolts since 1.5.0 and the AWS SDK; both guides say "on a background thread" or "will dispatch to GCD", and are wrong.
    public static func `default`() -> AWSExecutor { stackSaving }

    /// Inline, always.
    public static func immediate() -> AWSExecutor { inline }

    /// The main queue; inline for who is on it.
    public static func mainThread() -> AWSExecutor { main }

    /// Whatever calls the closures that `block` is handed, each once. It is called `block` unless a name is given.
    @preconcurrency
    public convenience init(
        block: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, name: String = "block"
    ) {
        self.init(.custom(name: name, block))
    }

    /// A dispatch queue: always through the queue, also for who is on it.
    public convenience init(dispatchQueue: DispatchQueue) {
        self.init(.queue(dispatchQueue))
    }

    /// An operation queue: an operation a block.
    public convenience init(operationQueue: OperationQueue) {
        self.init(.operationQueue(operationQueue))
    }

    /// Runs a closure where blocks are run, without making a task of it.
    @preconcurrency
    public func execute(_ block: @escaping @Sendable () -> Void) {
        chain.execute(block)
    }
}
