import DequeModule
import Synchronization
import TaskEvents

/// A job that a gate holds.
package struct HeldJob: Sendable {
    /// The job's task; none for a closure.
    package let task: TaskID
    package let chain: TaskID
    package let executor: ExecutorID
    /// The position of the job in the order in which all gates together held their jobs.
    let number: UInt64
    let job: @Sendable () -> Void
    let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
}

/// The services that a gate needs from its gatekeeper.
protocol GateKeeping: AnyObject, Sendable {
    /// The number of the next job that a gate holds.
    func nextJobNumber() -> UInt64
    /// Called when the gate has started to hold one more job.
    func jobIsHeld()
}

/// Stands between an executor and its queue. An open gate costs one relaxed load; a held gate keeps the jobs in the order of their arrival.
final class Gate: Sendable {
    typealias Job = @Sendable () -> Void

    private let held = Atomic<Bool>(false)
    private let waiting = Guarded<Deque<HeldJob>>([])
    private let keeper: any GateKeeping

    init(keeper: any GateKeeping) {
        self.keeper = keeper
    }

    var isHeld: Bool { held.load(ordering: .relaxed) }

    /// Schedules the job, now or when the gate lets it through.
    func pass(
        _ job: @escaping Job, of task: TaskID, in chain: TaskID, on executor: ExecutorID,
        to schedule: @escaping @Sendable (@escaping Job) -> Void
    ) {
        guard isHeld else { return schedule(job) }
        let held = HeldJob(
            task: task, chain: chain, executor: executor, number: keeper.nextJobNumber(), job: job, schedule: schedule)
        // Emitted before the job waits, because afterwards another thread may let it through.
        Emit.held(task, on: executor)
        let mustWait = waiting.withLock { waiting in
            // Checked again under the lock, so that no job stays behind when the gate opens.
            guard isHeld else { return false }
            waiting.append(held)
            return true
        }
        if mustWait { keeper.jobIsHeld() } else { Self.letThrough(held) }
    }

    static func letThrough(_ held: HeldJob) {
        Emit.stepped(held.task, on: held.executor)
        held.schedule(held.job)
    }

    // MARK: For the gatekeeper

    /// Holds all jobs from the next one on.
    func hold() {
        waiting.withLock { _ in held.store(true, ordering: .relaxed) }
    }

    /// Lets all held jobs through, in their order and before any later job. Returns their number.
    func open() -> Int {
        var count = 0
        while true {
            let jobs = waiting.withLock { waiting in
                // Stays held until no job waits, so that no later job overtakes a waiting one.
                if waiting.isEmpty { held.store(false, ordering: .relaxed) }
                defer { waiting = [] }
                return waiting
            }
            guard !jobs.isEmpty else { return count }
            count += jobs.count
            for job in jobs { Self.letThrough(job) }
        }
    }

    /// The first held job that `isWanted` accepts.
    func first(where isWanted: (HeldJob) -> Bool) -> HeldJob? {
        waiting.withLock { $0.first(where: isWanted) }
    }

    /// Removes that job. Returns false if another thread has removed it.
    func take(_ job: HeldJob) -> Bool {
        waiting.withLock { waiting in
            guard let index = waiting.firstIndex(where: { $0.number == job.number }) else { return false }
            waiting.remove(at: index)
            return true
        }
    }

    var count: Int { waiting.withLock { $0.count } }
}

/// The state that all executors of one queue share: the number in the trace, the name, and the gate.
final class ExecutorIdentity: Sendable {
    let id: ExecutorID
    let name: String
    let gate: Gate

    init(name: String, kind: ExecutorKind, keeper: any GateKeeping) {
        self.name = name
        id = Emit.register(executor: name, kind: kind)
        gate = Gate(keeper: keeper)
    }

    deinit { Emit.end(id) }
}
