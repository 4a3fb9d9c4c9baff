import Dispatch
import Foundation
import Synchronization
import TaskEvents

/// Knows the executor of every queue that has one, so that two made of one queue are one.
///
/// It is the identity of queues, which is the process's; an executor that nobody holds any more is forgotten.
final class ExecutorRegistry: Sendable {
    static let shared = ExecutorRegistry()

    private struct Entry {
        weak var core: ExecutorCore?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func core(of queue: DispatchQueue) -> ExecutorCore {
        core(of: ObjectIdentifier(queue)) { ExecutorCore(name: queue.label, kind: .queue, queue) }
    }

    func core(of queue: OperationQueue) -> ExecutorCore {
        core(of: ObjectIdentifier(queue)) {
            ExecutorCore(name: queue.name ?? "operation queue", kind: .operationQueue) { job in queue.addOperation(job) }
        }
    }

    /// An executor holds its queue, so an entry whose executor is alive is its queue's and no later one's at the same address.
    private func core(of queue: ObjectIdentifier, _ make: () -> ExecutorCore) -> ExecutorCore {
        entries.withLock { entries in
            if let core = entries[queue]?.core { return core }
            if entries.count >= 64, entries.count.nonzeroBitCount == 1 {
                entries = entries.filter { $0.value.core != nil }
            }
            let core = make()
            entries[queue] = Entry(core: core)
            return core
        }
    }
}
