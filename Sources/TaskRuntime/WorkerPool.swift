import DequeModule
import Dispatch
import TaskEvents

/// Runs jobs in the order of their arrival, `width` at a time. A worker lives as long as there are jobs.
final class WorkerPool: Sendable {
    private struct State {
        var jobs = Deque<ExecutorCore.Job>()
        /// The queues of workers that found no more jobs.
        var idle: [DispatchQueue] = []
        var threadCount = 0
    }

    private let state = Guarded(State())
    private let name: String
    private let width: Int

    init(name: String, width: Int) {
        self.name = name
        self.width = max(1, width)
    }

    func run(_ job: @escaping ExecutorCore.Job) {
        let thread = state.withLock { state -> DispatchQueue? in
            state.jobs.append(job)
            if let thread = state.idle.popLast() { return thread }
            guard state.threadCount < width else { return nil }
            state.threadCount += 1
            // Each worker has a serial queue, which gets a thread when it has work. A concurrent queue would share the processors' threads
            // with the global queue; when those block, it gets another thread only once a second.
            return DispatchQueue(label: name)
        }
        if let thread { thread.async { [self] in work(on: thread) } }
    }

    private func work(on thread: DispatchQueue) {
        while let job = nextJob(for: thread) { job() }
    }

    private func nextJob(for thread: DispatchQueue) -> ExecutorCore.Job? {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return job }
            state.idle.append(thread)
            return nil
        }
    }
}
