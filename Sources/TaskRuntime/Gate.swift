import Synchronization
import TaskEvents

/// Stands between an executor and its queue: open, it costs one relaxed load; held, jobs stay with it in the order they came.
final class Gate: Sendable {
    typealias Job = @Sendable () -> Void

    private let isHeld = Atomic<Bool>(false)
    private let waiting = Guarded<[Job]>([])

    /// Hands the job on, now or when the gate is opened.
    func pass(_ job: @escaping Job, to schedule: (@escaping Job) -> Void) {
        guard isHeld.load(ordering: .relaxed) else { return schedule(job) }
        let mustWait = waiting.withLock { waiting in
            // Looked at again under the lock, so that nothing stays behind when the gate opens.
            guard isHeld.load(ordering: .relaxed) else { return false }
            waiting.append(job)
            return true
        }
        if !mustWait { schedule(job) }
    }
}
