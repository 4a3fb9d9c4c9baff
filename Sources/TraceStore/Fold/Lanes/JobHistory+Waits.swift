import TaskEvents

extension JobHistory {
    /// The job that ran longest on the executor during a wait, and its time within the wait. Nil if no job ran, or if the job is no longer
    /// kept.
    package func longest(during wait: FinishedWait) -> (job: JobRecord, nanoseconds: UInt64)? {
        var longest: (job: JobRecord, nanoseconds: UInt64)?
        forEach(in: wait.start...wait.end) { job in
            guard job.executor == wait.executor, job.task != wait.task || job.task == .none else { return true }
            let shared = min(job.until, wait.end) - max(job.since, wait.start)
            if shared > longest?.nanoseconds ?? 0 { longest = (job, shared) }
            return true
        }
        return longest
    }
}
