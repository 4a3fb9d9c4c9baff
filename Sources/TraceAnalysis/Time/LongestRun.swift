import TaskEvents
import TraceStore

/// The run of a body that kept an executor for the longest time.
package struct LongestRun: Sendable {
    /// From its start to its end, or until now.
    package let times: ClosedRange<UInt64>
    /// `.none` for a closure of no task.
    package let task: TaskID
    /// The name and site of a closure.
    package let closure: EntryID
    /// The kernel's id of its thread. Nil if the trace does not tell it.
    package let thread: UInt32?
    /// When its thread had a processor. Nil without a profile, and where the profile has gaps.
    package let parts: (onCPU: UInt64, runnable: UInt64, blocked: UInt64)?

    /// Nil if nothing ran there.
    package init?(on executor: ExecutorID, _ steps: TaskSteps, in store: TraceStore) {
        guard let run = steps.runs.longest(on: executor, until: store.now) else { return nil }
        times = run.start...run.end
        (task, closure) = (TaskID(rawValue: run.task), EntryID(rawValue: run.label))
        thread = steps.thread(ofLane: run.lane, at: run.start)
        var (onCPU, runnable, blocked) = (0 as UInt64, 0 as UInt64, 0 as UInt64)
        if let thread, let threadTimes = steps.threadTimes {
            threadTimes.forEach(of: thread, from: run.start, until: run.end) { state, start, end in
                switch state {
                case .onCPU: onCPU += end - start
                case .runnable: runnable += end - start
                case .waiting: blocked += end - start
                case .unknown: break
                }
            }
        }
        parts = onCPU + runnable + blocked == run.end - run.start ? (onCPU, runnable, blocked) : nil
    }
}
