import TaskEvents

/// The threads of the program and the bodies that ran on them.
extension TraceStore {
    /// The jobs that have ended.
    package var jobs: JobHistory { fold.lanes.jobs }

    /// All running bodies, each with its executor, by thread.
    package var running: [(executor: ExecutorID, job: RunningJob)] { fold.lanes.running }

    /// The kernel's id of the thread that uses a lane; nil while it is unknown.
    package func thread(ofLane lane: Int) -> UInt64? {
        guard let thread = state(ofLane: lane)?.pointee.thread, thread != 0 else { return nil }
        return thread
    }

    /// The wait of the thread that uses a lane; nil while the thread does not block.
    package func threadWait(onLane lane: Int) -> ThreadWait? { state(ofLane: lane)?.pointee.wait }

    private func state(ofLane lane: Int) -> UnsafePointer<ThreadState>? {
        UInt16(exactly: lane).flatMap { fold.lanes.find($0) }
    }
}
