import TaskEvents
import TraceTransport

/// What the fold knows of one executor.
struct ExecutorState {
    let id: UInt16
    /// Nil until the trace's table says it.
    var kind: ExecutorKind?
    var jobs = 0
    var depth = 0
    var maxDepth = 0
    /// Jobs of the queue that its gate holds.
    var held = 0
    var busy: UInt64 = 0
    var longestJob: UInt64 = 0
    var longestJobTask: UInt64 = 0
    /// The queue, through ``QueuedNode``.
    var head: Int32 = -1
    var tail: Int32 = -1
    var waits = WaitTimes()
    var depthHistory = DepthHistory()

    /// Jobs have come to the queue or left it.
    @inline(__always)
    mutating func noteDepth(_ change: Int, at time: UInt64) {
        depth += change
        if depth > maxDepth { maxDepth = depth }
        depthHistory.note(depth: depth, at: time)
    }

    mutating func record(wait: UInt64) {
        waits.record(wait)
    }

    mutating func noteRun(of task: UInt64, nanoseconds: UInt64) {
        busy = busy.plus(nanoseconds)
        if nanoseconds > longestJob {
            longestJob = nanoseconds
            longestJobTask = task
        }
    }

    /// Whether bodies that run inline are its jobs: it has no queue whose job they run in.
    var countsInline: Bool {
        switch kind {
        case .immediate, .default: true
        case .main, .queue, .operationQueue, .pool, .custom, .actor, .global, nil: false
        }
    }
}

/// A job or an inline body that runs.
package struct RunningJob: Hashable, Sendable {
    /// `.none` for a closure that is no task's.
    package var task: TaskID
    package var since: UInt64
    /// The thread's lane.
    package var lane: Int
}
