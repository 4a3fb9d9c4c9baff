import TaskEvents

extension TraceStore {
    /// What a look from outside showed of a task in its present wait or run. Nil if no look has begun since then.
    package func sight(of task: TaskView) -> OutsideView.Sight? {
        switch task.state {
        case .suspended: task.suspendedSince.flatMap { outside?.sight(of: task.id, since: $0) }
        case .running: task.lastRun.flatMap { sight(ofLane: task.lane, since: $0) }
        case .pending, .queued, .succeeded, .faulted, .cancelled: nil
        }
    }

    /// What holds the continuation that a task waits for, in the words that follow "waits for a continuation". Nil if no look for it has begun
    /// in its present wait.
    package func continuationHolder(of task: TaskView) -> String? {
        guard task.state == .suspended else { return nil }
        return task.suspendedSince.flatMap { outside?.holder(of: task.id, since: $0) }
    }

    /// The same of a job.
    package func sight(of job: RunningJob) -> OutsideView.Sight? { sight(ofLane: job.lane, since: job.since) }

    /// What a look from outside showed of the thread of main, if the executor is main and none of its jobs runs. Nil if no look has begun
    /// since then.
    package func sight(ofMain id: ExecutorID, since: UInt64) -> OutsideView.Sight? {
        guard let executor = executor(id), executor.kind == .main, executor.running.isEmpty else { return nil }
        return outside?.sightOfMain(since: since)
    }

    private func sight(ofLane lane: Int, since: UInt64) -> OutsideView.Sight? {
        thread(ofLane: lane).flatMap { outside?.sight(ofThread: $0, since: since) }
    }
}
