import TaskEvents

/// The tasks that have not ended.
extension TraceStore {
    /// Tasks that have not ended. An asynchronous `main` ends by ending its program.
    package var openCount: Int {
        let open = TaskState.allCases.reduce(0) { $1.hasEnded ? $0 : $0 + count(of: $1) }
        return isOver ? open - running.count { isFinishedMain($0.job.task) } : open
    }

    /// The asynchronous `main` that failed, and so ended the program. Nil if it did not.
    package var failedMain: TaskView? {
        // The runtime makes it before the program can make a task.
        rows.prefix(64).lazy.map { self[$0] }.first(where: \.endedTheProgram)
    }

    /// Whether the task is the program's asynchronous `main`, and ended the program. The runtime ends the process in the task's last call.
    package func isFinishedMain(_ id: TaskID) -> Bool { task(id)?.isFinishedMain ?? false }
}

extension TaskView {
    /// Whether the task is the program's asynchronous `main`, and ended the program. One whose thread blocked at the end did not.
    package var isFinishedMain: Bool {
        guard store.isOver, kind == .main, state == .running, case .label(_, let code, _) = store.entries[labelID] else { return false }
        guard code == .none || store.entries.isCode(code) else { return false }
        return !store.running.contains { $0.job.task == id && store.threadWait(onLane: $0.job.lane) != nil }
    }
}

extension ExecutorView {
    /// The running jobs, without that of an asynchronous `main` that has ended the program.
    package var openJobs: [RunningJob] { store.isOver ? running.filter { !store.isFinishedMain($0.task) } : running }
}
