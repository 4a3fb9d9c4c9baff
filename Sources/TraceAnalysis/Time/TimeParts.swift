import TaskEvents
import TraceStore

/// The parts of a task's life, in nanoseconds: the time that it ran, blocked a thread, was queued, and awaited something.
///
/// The parts are disjoint, and their sum is the life. A part is nil if the trace does not show it.
package struct TimeParts: Hashable, Sendable {
    /// From the task's creation until its end, or until now if it has not ended.
    package var life: UInt64
    /// The body ran and did not block its thread. Without samples, ``onCPU`` and ``runnable`` are unknown and only this sum is known.
    /// Calls that block without a record count as running.
    package var running: UInt64?
    /// A processor executed the body.
    package var onCPU: UInt64?
    /// The kernel had no processor for the body's thread.
    package var runnable: UInt64?
    /// The body's thread blocked in a call.
    package var blocked: UInt64?
    /// A job of the task was in an executor's queue.
    package var queued: UInt64?
    /// The task waited for another task, a continuation, a timer, or its antecedents.
    package var awaiting: UInt64?

    /// The routes that tell the parts apart.
    private static let routes: TraceRoutes = [.queues, .slices, .blocking]

    /// Nil if the trace lacks the task's creation, or may lack some of its records.
    ///
    /// - Parameter steps: the steps of all tasks, with the thread times of a profile. Without them, ``onCPU`` and ``runnable`` are unknown.
    package init?(_ task: TaskView, in store: TraceStore, _ steps: TaskSteps? = nil) {
        guard let created = task.created, !task.isSynthesised, !task.isTouchedByLoss else { return nil }
        guard let ran = task.busy, let waited = task.queuedTime else { return nil }
        let end = max(created, task.ended ?? store.now)
        life = end - created
        let missing = TraceSight(store).missing(Self.routes, for: task.kind)
        guard !missing.contains(.slices) else { return }
        // Clocks of threads may differ a little, so a job may seem to begin before its task.
        let busy = min(ran, life)
        if !missing.contains(.blocking) {
            let blocked = min(task.blocked, busy)
            self.blocked = blocked
            running = busy - blocked
        }
        if let steps, let times = ProcessorParts(of: task, steps, in: store), times.onCPU + times.runnable <= busy {
            // The kernel knows of every call that blocks.
            (onCPU, runnable, blocked) = (times.onCPU, times.runnable, busy - times.onCPU - times.runnable)
            running = times.onCPU + times.runnable
        }
        guard !missing.contains(.queues) else { return }
        let queued = min(waited, life - busy)
        self.queued = queued
        awaiting = life - busy - queued
    }
}
