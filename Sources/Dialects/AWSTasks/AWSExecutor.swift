import CThreadStack
import Dispatch
import Foundation
import TaskRuntime

/// Runs the blocks of continuations. Any thread may use it.
public final class AWSExecutor: NSObject, @unchecked Sendable {
    // Unchecked because of NSObject; all properties are immutable.

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

    /// Runs a block inline, on the thread that ends its antecedent, or on the global queue if less than a tenth of that thread's stack is
    /// left. Bolts since 1.5.0 and the AWS SDK do the same. Their guides say "on a background thread" and "will dispatch to GCD", which is
    /// wrong.
    public static func `default`() -> AWSExecutor { stackSaving }

    /// Always runs a block inline.
    public static func immediate() -> AWSExecutor { inline }

    /// The main queue; inline if the caller is on it.
    public static func mainThread() -> AWSExecutor { main }

    /// An executor for which `block` calls each closure that it receives, once.
    @preconcurrency
    public convenience init(
        block: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, name: String = "block"
    ) {
        self.init(.custom(name: name, block))
    }

    /// A dispatch queue. Blocks always go through the queue, even if the caller is on it.
    public convenience init(dispatchQueue: DispatchQueue) {
        self.init(.queue(dispatchQueue))
    }

    /// An operation queue, with one operation for each block.
    public convenience init(operationQueue: OperationQueue) {
        self.init(.operationQueue(operationQueue))
    }

    /// Runs a closure without making a task.
    @preconcurrency
    public func execute(
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, _ block: @escaping @Sendable () -> Void
    ) {
        chain.execute(fileID: fileID, line: line, function: function, block)
    }
}
