/// The way in which a task was created.
@_documentation(visibility: internal)
public enum TaskKind: UInt8, CaseIterable, Sendable {
    case root = 0
    case continuation = 1
    case join = 2
    case delay = 3
    case source = 4
    case asyncLet = 5
    case groupChild = 6
    case unstructured = 7
    case detached = 8
    case `internal` = 9
    /// A block that the program gave to Dispatch, a run loop or an operation queue. It is a job of one slice, and no task: lists of tasks
    /// leave blocks out.
    case block = 10
    /// The program's asynchronous `main`. Reports call it a root, as they do a chain's first task.
    case main = 11

    /// Whether the probe saw the task: one of Swift Concurrency, or a block. Its antecedent is then the task whose body created it.
    @inlinable
    package var isOfSwift: Bool {
        switch self {
        case .asyncLet, .groupChild, .unstructured, .detached, .internal, .block, .main: true
        case .root, .continuation, .join, .delay, .source: false
        }
    }

    /// The word that reports use.
    public var name: String {
        switch self {
        case .root, .main: "root"
        case .continuation: "continuation"
        case .join: "join"
        case .delay: "delay"
        case .source: "source"
        case .asyncLet: "async-let"
        case .groupChild: "group-child"
        case .unstructured: "unstructured"
        case .detached: "detached"
        case .internal: "internal"
        case .block: "block"
        }
    }
}

/// The lanes of the missing records of a ``EventKind/lost`` event.
@_documentation(visibility: internal)
public enum LossManner: UInt8, Sendable {
    /// In the event's lane. If the event has no lane, the records' threads found no free lane.
    case ofLane = 0
    /// In a damaged part of a recording, in any lanes.
    case ofAnyLane = 1
}

@_documentation(visibility: internal)
public enum AntecedentRole: UInt8, CaseIterable, Sendable {
    /// One of a join's inputs.
    case input = 0
    /// The task that the body returned.
    case inner = 1
    /// A task whose value this task awaits or has awaited.
    case awaited = 2
}

@_documentation(visibility: internal)
public enum StartManner: UInt8, CaseIterable, Sendable {
    /// Taken from the executor's queue.
    case dequeued = 0
    /// Run on the thread that created the task or completed its antecedent.
    case inline = 1
    /// Taken from the executor's queue to run until it suspends or ends. The slice is the whole job, so no ``EventKind/jobEnded`` follows.
    case slice = 2

    /// Whether the job came from a queue.
    public var isDequeued: Bool {
        switch self {
        case .dequeued, .slice: true
        case .inline: false
        }
    }
}

@_documentation(visibility: internal)
public enum SuspensionReason: UInt8, CaseIterable, Sendable {
    /// The body returned a task that has not ended.
    case innerTask = 0
    /// The task waits for a condition, or for its turn.
    case condition = 1
    /// An asynchronous body awaits a value or an event.
    case awaiting = 2
    /// The task awaits the value of another task.
    case task = 3
    /// The task awaits a continuation.
    case continuation = 4
    /// The task awaits the next result, or all results, of its task group.
    case group = 5
    /// The task changes executors.
    case executor = 6
}

@_documentation(visibility: internal)
public enum HopManner: UInt8, CaseIterable, Sendable {
    case dispatched = 0
    case inline = 1
    case depthGuard = 2
    /// The task leaves an actor for the global executor. This is no hop, because the task may have continued at once.
    case left = 3
}

@_documentation(visibility: internal)
public enum FaultManner: UInt8, CaseIterable, Sendable {
    /// The body threw the error, or a source or a task created as failed received it.
    case thrown = 0
    /// The error comes unchanged from the task named by `other`.
    case forwarded = 1
    /// The error replaces the error of the task named by `other`, or is an aggregate.
    case transformed = 2
    /// The inspector injected the error.
    case injected = 3
}

@_documentation(visibility: internal)
public enum ReleaseManner: UInt8, CaseIterable, Sendable {
    /// The last reference is gone.
    case unreferenced = 0
    /// The end of a group's scope took the outcome of a failed child, which no code had taken, and dropped the error.
    case dropped = 1
    /// The last reference to a group's child that succeeded is gone. A group keeps a child until its outcome is taken.
    case taken = 2
    /// A `Continuation` of Swift 6.4 ended without being resumed, which ends the program. The task was to await it.
    case continuation = 3
}

/// The meaning of an event about a cancellation shield.
@_documentation(visibility: internal)
public enum ShieldManner: UInt8, CaseIterable, Sendable {
    case began = 0
    case ended = 1
    /// The task was in a shield when its cancellation was requested.
    case found = 2
}

@_documentation(visibility: internal)
public enum CancellationManner: UInt8, CaseIterable, Sendable {
    /// The body threw `CancellationError`.
    case thrown = 0
    /// The task was cancelled through its source, or created as cancelled.
    case asked = 1
    /// The task named by `other` was cancelled.
    case forwarded = 2
    /// The task's token was cancelled.
    case token = 3
    /// The inspector cancelled the task.
    case injected = 4
}

/// The way in which the request to cancel reached a Swift task.
@_documentation(visibility: internal)
public enum CancellationRequest: UInt8, CaseIterable, Sendable {
    /// The trace does not say. Readers of a process's memory write this one, and so did earlier versions.
    case unstated = 0
    /// Code called for it: `cancel()` of the task, or `cancelAll()` of its group.
    case called = 1
    /// Its parent was cancelled.
    case inherited = 2
    /// Its parent or its group had been cancelled before the task was created.
    case atCreation = 3
    /// The runtime cancelled it: the scope of the `async let` or of the group ended, or another child of the group failed.
    case scope = 4
}

/// The meaning of a mark.
@_documentation(visibility: internal)
public enum MarkManner: UInt8, CaseIterable, Sendable {
    case note = 0
    /// The task's own code gave it a name, such as its route or span.
    case name = 1
    /// It tells the reader of a recording what there is to see from here on. The inspector shows it above the event strip.
    case guide = 2
}

/// The part of something that could run in a choice of `hopscope explore`.
@_documentation(visibility: internal)
public enum ChoiceManner: UInt8, CaseIterable, Sendable {
    /// It came first and was chosen.
    case first = 0
    /// It was chosen instead of the one that came first: the order deviates here.
    case instead = 1
    /// It came first and was not chosen.
    case passedOver = 2
    case possible = 3

    package var isChosen: Bool { self == .first || self == .instead }
}

@_documentation(visibility: internal)
public enum ConditionResult: UInt8, CaseIterable, Sendable {
    case satisfied = 0
    case notSatisfied = 1
    case failed = 2
}

/// The kind of an executor.
@_documentation(visibility: internal)
public enum ExecutorKind: UInt8, Sendable {
    case immediate = 1
    case `default` = 2
    case main = 3
    case queue = 4
    case operationQueue = 5
    case pool = 6
    case custom = 7
    case actor = 8
    /// Swift's thread pool, which runs tasks that belong to no actor.
    case global = 9
    /// A thread that waits for events of the system in turns with its work, as those of swift-nio. Its job is a tick, from one wait to the
    /// next.
    case loop = 10

    /// The word that reports use.
    public var name: String {
        switch self {
        case .immediate: "immediate"
        case .default: "default"
        case .main: "main"
        case .queue: "queue"
        case .operationQueue: "operation-queue"
        case .pool: "pool"
        case .custom: "custom"
        case .actor: "actor"
        case .global: "global"
        case .loop: "loop"
        }
    }
}
