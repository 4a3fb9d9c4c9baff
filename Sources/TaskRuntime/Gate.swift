import DequeModule
import Synchronization
import TaskEvents

/// A job that a gate holds.
package struct HeldJob: Sendable {
    /// Whose it is; none for a closure.
    package let task: TaskID
    package let chain: TaskID
    package let executor: ExecutorID
    /// Jobs are numbered in the order in which gates held them, over all gates.
    let number: UInt64
    let job: @Sendable () -> Void
    let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
}

/// Stands between an executor and its queue: open, it costs one relaxed load; held, jobs stay with it in the order they came.
final class Gate: Sendable {
    typealias Job = @Sendable () -> Void

    private let held = Atomic<Bool>(false)
    private let waiting = Guarded<Deque<HeldJob>>([])

    var isHeld: Bool { held.load(ordering: .relaxed) }

    /// Hands the job on, now or when the gate lets it through.
    func pass(
        _ job: @escaping Job, of task: AnyChainTask?, on executor: ExecutorID, to schedule: @escaping @Sendable (@escaping Job) -> Void
    ) {
        guard isHeld else { return schedule(job) }
        let held = HeldJob(
            task: task?.id ?? .none, chain: task?.chain ?? .none, executor: executor,
            number: Gatekeeper.nextNumber(), job: job,
            schedule: schedule)
        // Said first: as soon as it waits, somebody may let it through.
        Emit.held(held.task, on: executor)
        let mustWait = waiting.withLock { waiting in
            // Looked at again under the lock, so that nothing stays behind when the gate opens.
            guard isHeld else { return false }
            waiting.append(held)
            return true
        }
        if mustWait { Gatekeeper.shared.jobIsHeld() } else { Self.letThrough(held) }
    }

    static func letThrough(_ held: HeldJob) {
        Emit.stepped(held.task, on: held.executor)
        held.schedule(held.job)
    }

    // MARK: For the gatekeeper

    /// From the next job on.
    func hold() {
        waiting.withLock { _ in held.store(true, ordering: .relaxed) }
    }

    /// Lets through what waits, in its order and before what comes after it, and answers how many there were.
    func open() -> Int {
        var count = 0
        while true {
            let jobs = waiting.withLock { waiting in
                // Held until nothing waits, so that nobody overtakes those that do.
                if waiting.isEmpty { held.store(false, ordering: .relaxed) }
                defer { waiting = [] }
                return waiting
            }
            guard !jobs.isEmpty else { return count }
            count += jobs.count
            for job in jobs { Self.letThrough(job) }
        }
    }

    /// The job that came first of those that are asked for.
    func first(where isAskedFor: (HeldJob) -> Bool) -> HeldJob? {
        waiting.withLock { $0.first(where: isAskedFor) }
    }

    /// Takes that job out; false if somebody else has.
    func take(_ job: HeldJob) -> Bool {
        waiting.withLock { waiting in
            guard let index = waiting.firstIndex(where: { $0.number == job.number }) else { return false }
            waiting.remove(at: index)
            return true
        }
    }

    var count: Int { waiting.withLock { $0.count } }
}
