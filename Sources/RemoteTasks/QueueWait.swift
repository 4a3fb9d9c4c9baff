/// The wait of a thread that gave a block to a Dispatch queue by `sync` and has to wait for its turn.
package struct QueueWait: Hashable, Sendable {
    /// The queue's label; `main` for the main queue.
    package let queue: String
    /// The thread that runs the queue's blocks. Nil if a concurrent queue has several.
    package let holder: Int32?
}

/// Finds the queues for which threads wait. Dispatch keeps a record of such a wait on the waiting thread's stack. The record leads to the
/// queue, and the queue's state has the number of the thread that holds it.
struct QueueReading {
    let reader: RemoteReader
    /// The numbers of the process's threads.
    let threads: Set<Int32>

    /// Offsets in the record, in bytes. A record of another layout is not recognised, because it does not lead to itself.
    private enum Record {
        static let itself: UInt64 = 40
        static let queue: UInt64 = 56
        static let event: UInt64 = 96
        static let waiter: UInt64 = 100
        static let isSynchronous: UInt64 = 1
    }

    /// Offsets in a queue, in bytes.
    private enum Queue {
        static let target: UInt64 = 24
        static let state: UInt64 = 56
        static let label: UInt64 = 72
        static let holder: UInt64 = 0x3fff_ffff
        static let longestChain = 16
    }

    /// The number of words above the stack pointer of a thread in the kernel, among which is the address that it waits at.
    private static let nearbyWords = 16

    /// Nil if the thread waits for no queue.
    func wait(of thread: Int32, stack: UInt64) -> QueueWait? {
        guard stack != 0, let words = reader.words(stack, count: Self.nearbyWords) else { return nil }
        for word in words where word > stack {
            let record = word &- Record.event
            guard reader.half(record &+ Record.waiter) == UInt32(bitPattern: thread), reader.word(record &+ Record.itself) == record,
                let flags = reader.word(record), flags & Record.isSynchronous != 0, let queue = reader.word(record &+ Record.queue)
            else { continue }
            return wait(for: queue, thread)
        }
        return nil
    }

    /// The thread holds the first queues of the chain of targets, and waits for the next one.
    private func wait(for queue: UInt64, _ thread: Int32) -> QueueWait? {
        guard let first = label(of: queue) else { return nil }
        var next = queue
        for _ in 0..<Queue.longestChain {
            guard next != 0, let label = label(of: next), !label.hasPrefix("com.apple.root."), let state = reader.word(next &+ Queue.state)
            else { break }
            let holder = Int32(truncatingIfNeeded: state & Queue.holder)
            if holder != thread, threads.contains(holder) { return QueueWait(queue: label, holder: holder) }
            next = reader.word(next &+ Queue.target) ?? 0
        }
        return QueueWait(queue: first, holder: nil)
    }

    private func label(of queue: UInt64) -> String? {
        guard let address = reader.word(queue &+ Queue.label) else { return nil }
        guard address != 0 else { return "queue" }
        guard let label = reader.text(address) else { return nil }
        return label == "com.apple.main-thread" ? "main" : label.isEmpty ? "queue" : label
    }
}
