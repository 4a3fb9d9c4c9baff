import Dispatch
import Foundation
import TaskEvents

/// The identity of each queue that has had an executor. It lives as long as the queue, so executors made from one queue share it.
///
/// The process has one registry, because queues belong to the process. One lock covers the lookup and the creation of an identity.
final class ExecutorRegistry: Sendable {
    static let shared = ExecutorRegistry()

    private struct Entry {
        weak var queue: OperationQueue?
        let identity: ExecutorIdentity
    }

    private static let key = DispatchSpecificKey<ExecutorIdentity>()

    /// The main queue's identity, which `queue(.main)` has too.
    static let main: ExecutorIdentity = {
        let identity = Gatekeeper.shared.identity(name: "main", kind: .main)
        DispatchQueue.main.setSpecific(key: key, value: identity)
        return identity
    }()

    private let operationQueues = Guarded<[ObjectIdentifier: Entry]>([:])

    /// Stores the identity on the queue, because on Linux each call of `DispatchQueue.main` and `.global()` returns a new object.
    func identity(of queue: DispatchQueue) -> ExecutorIdentity {
        _ = Self.main
        return operationQueues.withLock { _ in
            if let identity = queue.getSpecific(key: Self.key) { return identity }
            let identity = Gatekeeper.shared.identity(name: queue.label, kind: .queue)
            queue.setSpecific(key: Self.key, value: identity)
            return identity
        }
    }

    /// Stores the identity in a table, because an operation queue cannot carry it. An entry whose queue is gone belongs to an earlier queue
    /// at the same address.
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
