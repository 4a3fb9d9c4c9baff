import TaskEvents
import TraceStore

/// For each executor, the job that ran longest on it during its worst wait.
struct WaitCauses {
    struct Cause: Hashable, Sendable {
        let wait: FinishedWait
        /// Nil if no job ran on the executor during the wait, or if the job is no longer kept.
        let job: JobRecord?
    }

    private var causes: [ExecutorID: Cause] = [:]
    private var epoch = -1

    subscript(executor: ExecutorID) -> Cause? { causes[executor] }

    /// Searches the executor's jobs, unless the cause of that wait is already known.
    mutating func find(for executor: ExecutorView, in store: TraceStore, epoch: Int) {
        if epoch != self.epoch { causes.removeAll() }
        self.epoch = epoch
        guard let wait = executor.worstWait else {
            causes[executor.id] = nil
            return
        }
        guard causes[executor.id]?.wait != wait else { return }
        causes[executor.id] = Cause(wait: wait, job: store.jobs.longest(during: wait)?.job)
    }
}
