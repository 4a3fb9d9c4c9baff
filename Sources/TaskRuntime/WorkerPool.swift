import DequeModule
import Dispatch
import Synchronization

/// Runs jobs in the order they came, `width` at a time. A worker lives as long as there are jobs.
final class WorkerPool: Sendable {
    private struct State {
        var jobs = Deque<ExecutorCore.Job>()
        var workers = 0
    }

    private let state = Mutex(State())
    private let threads: DispatchQueue
    private let width: Int

    init(name: String, width: Int) {
        self.width = max(1, width)
        // A private concurrent queue gets a thread for each worker, also while the others block.
        threads = DispatchQueue(label: name, attributes: .concurrent)
    }

    func run(_ job: @escaping ExecutorCore.Job) {
        let needsWorker = state.withLock { state in
            state.jobs.append(job)
            guard state.workers < width else { return false }
            state.workers += 1
            return true
        }
        if needsWorker { threads.async { [self] in work() } }
    }

    private func work() {
        while let job = nextJob() { job() }
    }

    private func nextJob() -> ExecutorCore.Job? {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return job }
            state.workers -= 1
            return nil
        }
    }
}
