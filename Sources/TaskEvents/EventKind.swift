import CTraceLanes

/// What an event says. The raw values are the format of lanes and files: they are added to, never changed.
///
/// `executor`, `label`, `other` and `detail` are the record's fields; a field that is not named is 0.
public enum EventKind: UInt8, CaseIterable, Sendable {
    /// A thread took the lane. `other`: the kernel's id of it.
    case thread = 1
    /// `detail`: ``TaskKind``; `executor`: the one asked for; `label`: name and call site; `other`: the first antecedent.
    case created = 2
    /// A further antecedent of a task, after those said before. `other`: that task; `detail`: ``AntecedentRole``.
    case antecedent = 3
    /// The task's job was put into an executor's queue. `executor`: that one; `other`: the task whose body did it, and `detail`: the job's
    /// priority as Swift counts, 0 for none, where the probe says so.
    case enqueued = 4
    /// The task's body begins. `executor`: the one asked for; `detail`: ``StartManner``.
    case started = 5
    /// The body has returned or awaits, or has yet to begin. `other`: the task it waits for; `label`: the condition it waits for, or the
    /// calls that it awaits, as code; `executor`: of a Swift task the one that it gives up; `detail`: ``SuspensionReason``.
    case suspended = 6
    /// What the task waited for has come.
    case resumed = 7
    /// A job changes executors. `executor`: to; `other`: the executor it came from, 0 for a thread of none; `detail`: ``HopManner``. Of inline
    /// hops one record may stand for many: `other` has their number above its lowest 16 bits, 0 for one.
    case hopped = 8
    /// An executor's job has come back, with everything that ran inline inside it. `executor`: that one.
    case jobEnded = 9
    /// A continuation does not apply: it takes its antecedent's outcome. `other`: the antecedent.
    case skipped = 10
    /// The task succeeded. `label`: where, if it was set from outside.
    case completed = 11
    /// The task failed. `label`: the error; `other`: the task it got it from; `detail`: ``FaultManner``.
    case faulted = 12
    /// The task was cancelled. `other`: the task that it followed; `detail`: ``CancellationManner``.
    case cancelled = 13
    /// Somebody looked at a failed task's error. `other`: the task whose body did, 0 from outside of every body.
    case errorRead = 14
    /// The last reference to a task that is pending, or whose error nobody read, has gone.
    case released = 15
    /// A thread blocks until the task ends, or for something that is no task. `other`: the task whose body blocks.
    case waitBegan = 16
    /// `detail`: 1 if it gave up before the task ended.
    case waitEnded = 17
    /// A condition was evaluated. `detail`: ``ConditionResult``; `label`: its name.
    case condition = 18
    /// An ended task was set again. `label`: where; `detail`: 1 if that is a programming error, 0 if somebody tried.
    case completedTwice = 19
    /// A gate holds a job. `executor`: whose.
    case held = 20
    /// A gate let one job through.
    case stepped = 21
    /// Records are missing here: readers put this in a lane's place. `other`: how many; `detail`: ``LossManner``.
    case lost = 22
    /// A user's note. `label`: the text.
    case mark = 23
    /// A task is asked to stop, and may or may not heed it. `other`: the task whose body asked.
    case cancellationAsked = 24
}

/// How a task came to be.
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

    /// Whether Swift Concurrency made it, so that its antecedent is the task whose body did.
    package var isOfSwift: Bool {
        switch self {
        case .asyncLet, .groupChild, .unstructured, .detached, .internal: true
        case .root, .continuation, .join, .delay, .source: false
        }
    }

    /// The word that reports use.
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

/// Whose records are missing.
public enum LossManner: UInt8, Sendable {
    /// One lane's, whose place the event has; or, in no lane's place, those of threads that found none.
    case ofLane = 0
    /// A stretch of a recording: any lane's.
    case ofAnyLane = 1
}

public enum AntecedentRole: UInt8, CaseIterable, Sendable {
    /// One of a join's inputs.
    case input = 0
    /// The task that the body returned.
    case inner = 1
    /// A task whose value it awaits, or has.
    case awaited = 2
}

public enum StartManner: UInt8, Sendable {
    /// Taken from its executor's queue.
    case dequeued = 0
    /// On the thread that made or completed what it follows.
    case inline = 1
    /// Taken from its executor's queue, to run until it suspends or ends: that is its job, and no ``EventKind/jobEnded`` says so.
    case slice = 2

    /// Whether it came from a queue.
    public var isDequeued: Bool {
        switch self {
        case .dequeued, .slice: true
        case .inline: false
        }
    }
}

public enum SuspensionReason: UInt8, Sendable {
    /// The body returned a task that has not ended.
    case innerTask = 0
    /// It waits for a condition or for its turn.
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

public enum HopManner: UInt8, Sendable {
    case dispatched = 0
    case inline = 1
    case depthGuard = 2
}

public enum FaultManner: UInt8, Sendable {
    /// The body threw it, or it was given to a source or a finished task.
    case thrown = 0
    /// It is the error of the task named by `other`.
    case forwarded = 1
    /// It replaces the error of the task named by `other`, or is an aggregate.
    case transformed = 2
    /// The inspector put it there.
    case injected = 3
}

public enum CancellationManner: UInt8, Sendable {
    /// The body threw `CancellationError`.
    case thrown = 0
    /// Somebody cancelled it through its source, or it was made so.
    case asked = 1
    /// The task named by `other` was cancelled.
    case forwarded = 2
    /// Its token was.
    case token = 3
    /// The inspector did it.
    case injected = 4
}

public enum ConditionResult: UInt8, Sendable {
    case satisfied = 0
    case notSatisfied = 1
    case failed = 2
}

/// What sort of thing an executor is.
public enum ExecutorKind: UInt8, Sendable {
    case immediate = 1
    case `default` = 2
    case main = 3
    case queue = 4
    case operationQueue = 5
    case pool = 6
    case custom = 7
    case actor = 8
    /// Swift's own threads, for tasks that belong to no actor.
    case global = 9

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
        }
    }
}
