import TaskEvents

/// A task of another process as a snapshot found it.
package struct RemoteTask: Sendable {
    package enum Kind: Sendable {
        case unstructured, asyncLet, groupChild
    }

    package enum State: String, Sendable, CaseIterable {
        /// The task is created, and no executor has it yet.
        case pending
        case queued, running, suspended
        /// The task changed during every attempt to read it.
        case changing
    }

    /// The reason why the task waits, with the addresses of the objects it waits for.
    package enum Wait: Hashable, Sendable {
        case task(UInt64)
        case continuation
        case group(UInt64)
        /// A turn on an executor. An identity of 0 is the global executor; an implementation of 0 means a default actor.
        case executor(identity: UInt64, implementation: UInt64)
    }

    /// The runtime's number of the task.
    package let id: UInt64
    package let address: UInt64
    /// The task's number in the trace of its process.
    package var tracedNumber: UInt64
    package var kind: Kind = .unstructured
    package var state: State = .changing
    package var isCancelled = false
    /// Whether the task is in a cancellation shield, in which it runs as if it were not cancelled.
    package var isShielded = false
    package var priority: UInt8 = 0
    package var basePriority: UInt8 = 0
    package var name = ""
    /// The address of the parent task. 0 for none.
    package var parent: UInt64 = 0
    /// The address of the task's group. 0 for none.
    package var group: UInt64 = 0
    package var wait: Wait?
    /// The size in bytes of the memory that the runtime has allocated for the task: its header and the slabs for the frames of its
    /// asynchronous functions, without its closure and its result. The part of an `async let` task that lies inside its parent's memory
    /// counts there. Nil if the task runs or could not be measured.
    package var memory: UInt64?
    /// The places at which the task's asynchronous functions continue, innermost first. Empty for a running task, and for a broken chain of
    /// contexts.
    package var frames: [UInt64] = []
    /// A number made from the frames of a suspended task's innermost functions, which do not change while the task sleeps. 0 if they could
    /// not be read.
    var mark: UInt64 = 0
    /// Whether the runtime says that the task is a child, and that it has a name.
    var isChild = false
    package var isNamed = false
    /// Whether ``memory`` includes the task's header.
    var ownsHeader = false
    /// The place of the words that follow the task among those that ``TaskReading`` keeps.
    var tail: Int?

    init(id: UInt64, address: UInt64) {
        self.id = id
        self.address = address
        tracedNumber = id
    }

    /// The reason of a suspended task's wait, in the terms of traces.
    package var suspension: SuspensionReason {
        switch wait {
        case .task: .task
        case .group: .group
        case .continuation, .executor: .continuation
        case nil: .awaiting
        }
    }
}
