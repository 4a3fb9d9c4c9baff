import Dispatch
import Foundation
import TaskEvents

/// What is the same of an executor however often one is made of its queue: its number in the trace, and its gate.
final class ExecutorIdentity: Sendable {
    let id: ExecutorID
    let name: String
    let gate = Gate()

    init(name: String, kind: ExecutorKind) {
        self.name = name
        id = Emit.register(executor: name, kind: kind)
        Gatekeeper.shared.register(self)
    }
}

/// Knows the identity of every queue that has had an executor, for as long as the queue lives: two executors made of one queue are one.
///
/// It is the identity of queues, which is the process's. Looking one up and making it happen under one lock.
final class ExecutorRegistry: Sendable {
    static let shared = ExecutorRegistry()

    private struct Entry {
        weak var queue: OperationQueue?
        let identity: ExecutorIdentity
    }

    private static let key = DispatchSpecificKey<ExecutorIdentity>()

    /// The main queue's, however it is come by: an executor that always goes through it is the executor `main`, too.
    static let main: ExecutorIdentity = {
        let identity = ExecutorIdentity(name: "main", kind: .main)
        DispatchQueue.main.setSpecific(key: key, value: identity)
        return identity
    }()

    private let operationQueues = Guarded<[ObjectIdentifier: Entry]>([:])

    /// A dispatch queue keeps its identity itself: on Linux `DispatchQueue.main` and `.global()` are a new object at every call.
    func identity(of queue: DispatchQueue) -> ExecutorIdentity {
        _ = Self.main
        return operationQueues.withLock { _ in
            if let identity = queue.getSpecific(key: Self.key) { return identity }
            let identity = ExecutorIdentity(name: queue.label, kind: .queue)
            queue.setSpecific(key: Self.key, value: identity)
            return identity
        }
    }

    /// An operation queue can keep nothing. An entry whose queue is gone is that of an earlier one at the same address.
    func identity(of queue: OperationQueue) -> ExecutorIdentity {
        guard queue !== OperationQueue.main else { return Self.main }
        return operationQueues.withLock { entries in
            if let entry = entries[ObjectIdentifier(queue)], entry.queue === queue { return entry.identity }
            if entries.count >= 64, entries.count.nonzeroBitCount == 1 {
                entries = entries.filter { $0.value.queue != nil }
            }
            let identity = ExecutorIdentity(name: queue.name ?? "operation queue", kind: .operationQueue)
            entries[ObjectIdentifier(queue)] = Entry(queue: queue, identity: identity)
            return identity
        }
    }
}
