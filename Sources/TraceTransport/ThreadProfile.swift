import TaskEvents

/// What the kernel told of a process's threads: samples of their stacks, and when each got a processor and lost it.
package struct ThreadProfile: Sendable {
    package enum Kind: UInt32, Sendable {
        /// The thread ran. The record has its stack.
        case sample = 1
        /// The thread left its processor by itself: it waits in the kernel.
        case waited = 2
        /// The kernel gave the thread's processor to another thread.
        case preempted = 3
        /// The thread got a processor.
        case resumed = 4
        /// Records are missing here.
        case lost = 5
    }

    package struct Record: Sendable {
        /// Nanoseconds from the trace's start.
        package var time: UInt64
        package var thread: UInt32
        package var kind: Kind
        /// The index of a sample's stack; of a loss, the number of missing records.
        package var value: UInt32

        package init(time: UInt64, thread: UInt32, kind: Kind, value: UInt32 = 0) {
            (self.time, self.thread, self.kind, self.value) = (time, thread, kind, value)
        }
    }

    /// Samples a second of processor time.
    package var hertz: UInt32
    package private(set) var records: [Record] = []
    /// The stacks of the samples, innermost call first. The module of an unknown place is empty.
    package private(set) var stacks: [[CodeAddress]] = []
    private var known: [[CodeAddress]: UInt32] = [:]

    package init(hertz: UInt32) {
        self.hertz = hertz
    }

    package mutating func append(_ record: Record) {
        records.append(record)
    }

    package mutating func appendSample(of thread: UInt32, at time: UInt64, _ stack: [CodeAddress]) {
        let index = known[stack] ?? UInt32(stacks.count)
        if index == stacks.count {
            stacks.append(stack)
            known[stack] = index
        }
        records.append(Record(time: time, thread: thread, kind: .sample, value: index))
    }

    /// Adds a later part of the same profile.
    package mutating func append(_ next: ThreadProfile) {
        for record in next.records {
            if record.kind == .sample {
                guard next.stacks.indices.contains(Int(record.value)) else { continue }
                appendSample(of: record.thread, at: record.time, next.stacks[Int(record.value)])
            } else {
                append(record)
            }
        }
    }
}
