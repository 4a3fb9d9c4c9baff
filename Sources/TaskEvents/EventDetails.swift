/// The way a task came to be.
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

    /// Whether Swift Concurrency created it: its antecedent is then the task whose body created it.
    package var isOfSwift: Bool {
        switch self {
        case .asyncLet, .groupChild, .unstructured, .detached, .internal: true
        case .root, .continuation, .join, .delay, .source: false
        }
    }

    /// The word in reports.
    public var name: String {
        switch self {
        case .root: "root"
        case .continuation: "continuation"
        case .join: "join"
        case .delay: "delay"
        case .source: "source"
        case .asyncLet: "async-let"
        case .groupChild: "group-child"
        case .unstructured: "unstructured"
        case .detached: "detached"
        case .internal: "internal"
        }
    }
}

/// The place of missing records.
public enum LossManner: UInt8, Sendable {
    /// Those of the event's lane; without a lane, those of threads that found no free lane.
    case ofLane = 0
    /// Those of a part of a recording, of any lane.
    case ofAnyLane = 1
}

public enum AntecedentRole: UInt8, CaseIterable, Sendable {
    /// One of a join's inputs.
    case input = 0
    /// The task that the body returned.
    case inner = 1
    /// A task whose value it awaits or has awaited.
    case awaited = 2
}

public enum StartManner: UInt8, CaseIterable, Sendable {
    /// Taken from its executor's queue.
    case dequeued = 0
    /// On the thread that created the task, or completed its antecedent.
    case inline = 1
    /// Taken from its executor's queue, to run until it suspends or ends. That is its whole job: no ``EventKind/jobEnded`` follows.
    case slice = 2

    /// Whether it came from a queue.
    public var isDequeued: Bool {
        switch self {
        case .dequeued, .slice: true
        case .inline: false
        }
    }
}

public enum SuspensionReason: UInt8, CaseIterable, Sendable {
    /// The body returned a task that has not ended.
    case innerTask = 0
    /// It waits for a condition, or for its turn.
    case condition = 1
    /// An asynchronous body awaits something.
    case awaiting = 2
    /// It awaits the value of a task.
    case task = 3
    /// It awaits a continuation.
    case continuation = 4
    /// It awaits the next result of its task group, or all of them.
    case group = 5
    /// It changes executors.
    case executor = 6
}

public enum HopManner: UInt8, CaseIterable, Sendable {
    case dispatched = 0
    case inline = 1
    case depthGuard = 2
    /// No hop, but the way back from an actor: to the global executor, where the task may have gone on at once.
    case left = 3
}

public enum FaultManner: UInt8, CaseIterable, Sendable {
    /// The body threw it, or a source or a finished task was given it.
    case thrown = 0
    /// It is the error of the task named by `other`.
    case forwarded = 1
    /// It replaces the error of the task named by `other`, or is an aggregate.
    case transformed = 2
    /// The inspector injected it.
    case injected = 3
}

public enum CancellationManner: UInt8, CaseIterable, Sendable {
    /// The body threw `CancellationError`.
    case thrown = 0
    /// It was cancelled through its source, or created cancelled.
    case asked = 1
    /// The task named by `other` was cancelled.
    case forwarded = 2
    /// Its token was cancelled.
    case token = 3
    /// The inspector cancelled it.
    case injected = 4
}

public enum ConditionResult: UInt8, CaseIterable, Sendable {
    case satisfied = 0
    case notSatisfied = 1
    case failed = 2
}

/// The sort of an executor.
public enum ExecutorKind: UInt8, Sendable {
    case immediate = 1
    case `default` = 2
    case main = 3
    case queue = 4
    case operationQueue = 5
    case pool = 6
    case custom = 7
    case actor = 8
    /// Swift's own threads, which run tasks that belong to no actor.
    case global = 9

    /// The word in reports.
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
        }
    }
}
