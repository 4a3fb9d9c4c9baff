import DequeModule
import Synchronization
import TaskEvents

/// A job that a gate holds.
package struct HeldJob: Sendable {
    /// The job's task; none for a closure.
    package let task: TaskID
    package let chain: TaskID
    package let executor: ExecutorID
    /// Jobs are numbered in the order in which gates held them, over all gates.
    let number: UInt64
    let job: @Sendable () -> Void
    let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
}

/// What a gate asks of the object that moves it.
protocol GateKeeping: AnyObject, Sendable {
    /// The number of the next job that a gate holds.
    func nextJobNumber() -> UInt64
    /// A gate holds one more job.
    func jobIsHeld()
}

/// Stands between an executor and its queue: open, it costs one relaxed load; held, it keeps the jobs in the order they came.
final class Gate: Sendable {
    typealias Job = @Sendable () -> Void

    private let held = Atomic<Bool>(false)
    private let waiting = Guarded<Deque<HeldJob>>([])
    private let keeper: any GateKeeping

    init(keeper: any GateKeeping) {
        self.keeper = keeper
    }

    var isHeld: Bool { held.load(ordering: .relaxed) }

    /// Hands the job on, now or when the gate lets it through.
    func pass(
        _ job: @escaping Job, of task: TaskID, in chain: TaskID, on executor: ExecutorID,
        to schedule: @escaping @Sendable (@escaping Job) -> Void
    ) {
        guard isHeld else { return schedule(job) }
        let held = HeldJob(
            task: task, chain: chain, executor: executor, number: keeper.nextJobNumber(), job: job, schedule: schedule)
        // Before the job waits: from then on, another thread may let it through.
        Emit.held(task, on: executor)
        let mustWait = waiting.withLock { waiting in
            // Asked again under the lock, so that no job stays behind when the gate opens.
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

    /// Holds the gate from the next job on.
    func hold() {
        waiting.withLock { _ in held.store(true, ordering: .relaxed) }
    }

    /// Lets all held jobs through, in their order and before any that comes later. Returns their number.
    func open() -> Int {
        var count = 0
        while true {
            let jobs = waiting.withLock { waiting in
                // Held until none waits, so that no job overtakes one that does.
                if waiting.isEmpty { held.store(false, ordering: .relaxed) }
                defer { waiting = [] }
                return waiting
            }
            guard !jobs.isEmpty else { return count }
            count += jobs.count
            for job in jobs { Self.letThrough(job) }
        }
    }

    /// The held job that came first of those that `isWanted` accepts.
    func first(where isWanted: (HeldJob) -> Bool) -> HeldJob? {
        waiting.withLock { $0.first(where: isWanted) }
    }

    /// Takes that job out; false if another thread has.
    func take(_ job: HeldJob) -> Bool {
        waiting.withLock { waiting in
            guard let index = waiting.firstIndex(where: { $0.number == job.number }) else { return false }
            waiting.remove(at: index)
            return true
        }
    }

    var count: Int { waiting.withLock { $0.count } }
}

/// What all executors that are made of one queue share: the number in the trace, the name, and the gate.
final class ExecutorIdentity: Sendable {
    let id: ExecutorID
    let name: String
    let gate: Gate

    init(name: String, kind: ExecutorKind, keeper: any GateKeeping) {
        self.name = name
        id = Emit.register(executor: name, kind: kind)
        gate = Gate(keeper: keeper)
    }
}
