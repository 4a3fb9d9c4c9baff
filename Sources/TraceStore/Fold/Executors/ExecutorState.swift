import TaskEvents
import TraceTransport

/// The fold's state of one executor.
struct ExecutorState {
    let id: UInt16
    /// Nil until the trace's table has the executor's entry.
    var kind: ExecutorKind?
    var jobs = 0
    var depth = 0
    var maxDepth = 0
    /// The number of queued jobs that a gate holds.
    var held = 0
    /// The number of threads that run its bodies now, and the most that ever did at a time.
    var threads = 0
    var mostThreads = 0
    /// The lane of an actor's latest body; -1 before the first.
    var latestLane: Int32 = -1
    var busy: UInt64 = 0
    var longestJob: UInt64 = 0
    var longestJobTask: UInt64 = 0
    /// The name and the call site of the longest job, for a closure that belongs to no task.
    var longestJobLabel: UInt32 = 0
    /// The first and the last ``QueuedNode`` of the queue.
    var head: Int32 = -1
    var tail: Int32 = -1
    var waits = WaitTimes()
    /// The longest finished wait, its job's task, and the time of its end.
    var worstWait: (nanoseconds: UInt64, task: UInt64, end: UInt64) = (0, 0, 0)
    var depthHistory = DepthHistory()

    /// Records that one thread more or fewer runs its bodies.
    @inline(__always)
    mutating func changeThreads(by change: Int) {
        threads += change
        if threads > mostThreads { mostThreads = threads }
    }

    /// Records that the queue's depth changes by `change`.
    @inline(__always)
    mutating func changeDepth(by change: Int, at time: UInt64) {
        depth += change
        if depth > maxDepth { maxDepth = depth }
        depthHistory.record(depth: depth, at: time)
    }

    /// Records the finished wait of a task's job, which ended at `time`.
    mutating func record(wait: UInt64, of task: UInt64, at time: UInt64) {
        waits.record(wait)
        if wait > worstWait.nanoseconds { worstWait = (wait, task, time) }
    }

    /// Records the time that a task spent here, in one stay or in several. Of several the average is known, and one was at least as long.
    /// `earlier` is the part of the stay that has been recorded already.
    mutating func recordRun(of task: UInt64, label: UInt32, nanoseconds: UInt64, stays: UInt64 = 1, after earlier: UInt64 = 0) {
        busy = busy.plus(nanoseconds)
        let longest = (stays == 1 ? nanoseconds : (nanoseconds + stays - 1) / stays).plus(earlier)
        if longest > longestJob {
            longestJob = longest
            longestJobTask = task
            longestJobLabel = label
        }
    }

    /// Whether inline bodies count as jobs of this executor, because it has no queue of its own.
    var countsInline: Bool {
        switch kind {
        case .immediate, .default: true
        case .main, .queue, .operationQueue, .pool, .custom, .actor, .global, .loop, nil: false
        }
    }
}
