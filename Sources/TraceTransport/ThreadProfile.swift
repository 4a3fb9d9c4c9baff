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
        /// From here on there are no records of switches, because there were too many.
        case unswitched = 6
    }

    package struct Record: Sendable {
        /// Nanoseconds from the trace's start.
        package var time: UInt64
        package var thread: UInt32
        package var kind: Kind
        /// The index of a sample's stack; of a loss, the number of missing records; of the end of the switches, how many there were a
        /// second.
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
        records.append(Record(time: time, thread: thread, kind: .sample, value: number(of: stack)))
    }

    /// The stack's index, which is new if no sample has the stack yet.
    fileprivate mutating func number(of stack: [CodeAddress]) -> UInt32 {
        if let number = known[stack] { return number }
        let number = UInt32(stacks.count)
        stacks.append(stack)
        known[stack] = number
        return number
    }

    /// Adds a later part of the same profile.
    package mutating func append(_ next: ThreadProfile) {
        var numbers = StackNumbers(of: next.stacks)
        for record in next.records {
            var record = record
            if record.kind == .sample {
                guard let number = numbers.number(of: record.value, in: &self) else { continue }
                record.value = number
            }
            append(record)
        }
    }
}

/// The indices that the stacks of a part have in the whole profile. Each stack is looked up once, and not once for each sample.
package struct StackNumbers {
    private let stacks: [[CodeAddress]]
    private var numbers: [UInt32?]

    package init(of stacks: [[CodeAddress]]) {
        self.stacks = stacks
        numbers = Array(repeating: nil, count: stacks.count)
    }

    /// The index in `profile` of the part's stack with this index. Nil if the part has no such stack.
    package mutating func number(of index: UInt32, in profile: inout ThreadProfile) -> UInt32? {
        guard stacks.indices.contains(Int(index)) else { return nil }
        if let known = numbers[Int(index)] { return known }
        let number = profile.number(of: stacks[Int(index)])
        numbers[Int(index)] = number
        return number
    }
}
