import Dispatch
import Foundation
import TaskEvents

/// The identity of each queue that has had an executor, as long as the queue lives: two executors made of one queue are one.
///
/// One for the process, as queues are. One lock covers looking an identity up and making it.
final class ExecutorRegistry: Sendable {
    static let shared = ExecutorRegistry()

    private struct Entry {
        weak var queue: OperationQueue?
        let identity: ExecutorIdentity
    }

    private static let key = DispatchSpecificKey<ExecutorIdentity>()

    /// The main queue's: `queue(.main)` is the executor `main` too.
    static let main: ExecutorIdentity = {
        let identity = Gatekeeper.shared.identity(name: "main", kind: .main)
        DispatchQueue.main.setSpecific(key: key, value: identity)
        return identity
    }()

    private let operationQueues = Guarded<[ObjectIdentifier: Entry]>([:])

    /// A dispatch queue carries its identity: on Linux each call of `DispatchQueue.main` and `.global()` returns a new object.
    func identity(of queue: DispatchQueue) -> ExecutorIdentity {
        _ = Self.main
        return operationQueues.withLock { _ in
            if let identity = queue.getSpecific(key: Self.key) { return identity }
            let identity = Gatekeeper.shared.identity(name: queue.label, kind: .queue)
            queue.setSpecific(key: Self.key, value: identity)
            return identity
        }
    }

    /// An operation queue can carry nothing. An entry whose queue is gone belongs to an earlier queue at the same address.
    func identity(of queue: OperationQueue) -> ExecutorIdentity {
        guard queue !== OperationQueue.main else { return Self.main }
        return operationQueues.withLock { entries in
            if let entry = entries[ObjectIdentifier(queue)], entry.queue === queue { return entry.identity }
            if entries.count >= 64, entries.count.nonzeroBitCount == 1 {
                entries = entries.filter { $0.value.queue != nil }
            }
            let identity = Gatekeeper.shared.identity(name: queue.name ?? "operation queue", kind: .operationQueue)
            entries[ObjectIdentifier(queue)] = Entry(queue: queue, identity: identity)
            return identity
        }
    }
}
